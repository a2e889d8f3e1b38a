//! Reading a body without trusting its length: [`read_whole`].
//!
//! Bytes are counted after decoding, so a small compressed body that unfolds
//! into a large one is refused like any other large one.

use bytes::{Bytes, BytesMut};

use super::http::{Body, TransportError};

/// How many bytes of one JSON body, or of one event of a stream, are read:
/// 2 MiB, counted after decoding.
pub const READ_LIMIT: usize = 2 * 1024 * 1024;

/// How many bytes of one event stream are read: 16 MiB.
pub const STREAM_LIMIT: usize = 16 * 1024 * 1024;

/// How many events of one stream are read.
pub const EVENT_LIMIT: usize = 10_000;

/// How many bytes of a response's head are taken in: 64 KiB of names and values
/// of header fields.
pub const HEAD_LIMIT: usize = 64 * 1024;

/// Why a body, or one event of a stream, could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// It is larger than what is read; the rest was not fetched.
    #[error("it is larger than {limit} bytes; no more than that is read")]
    TooLarge {
        /// How many bytes would have been read.
        limit: usize,
    },
    /// It has more events than are read.
    #[error("it has more than {limit} events; no more than that are read")]
    TooMany {
        /// How many events would have been read.
        limit: usize,
    },
    /// It stopped before its end.
    #[error(transparent)]
    Transport(#[from] TransportError),
}

/// Reads `body` to its end.
///
/// # Errors
/// [`ReadError::TooLarge`] as soon as more than `limit` bytes came: the body is
/// dropped at once, which aborts the request. [`ReadError::Transport`] if the
/// body broke off.
pub async fn read_whole(mut body: Body, limit: usize) -> Result<Bytes, ReadError> {
    let mut first = Bytes::new();
    let mut rest = BytesMut::new();
    while let Some(chunk) = body.chunk().await {
        let chunk = chunk?;
        if first.len() + rest.len() + chunk.len() > limit {
            return Err(ReadError::TooLarge { limit });
        }
        // Most bodies arrive in one chunk: it is handed on without a copy.
        if first.is_empty() {
            first = chunk;
        } else {
            rest.extend_from_slice(&chunk);
        }
    }
    if rest.is_empty() {
        return Ok(first);
    }
    let mut whole = BytesMut::with_capacity(first.len() + rest.len());
    whole.extend_from_slice(&first);
    whole.extend_from_slice(&rest);
    Ok(whole.freeze())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures_util::stream::{self, StreamExt};

    use super::*;

    fn body(chunks: &[&'static str]) -> Body {
        let chunks: Vec<_> =
            chunks.iter().map(|chunk| Ok(Bytes::from_static(chunk.as_bytes()))).collect();
        Body::stream(stream::iter(chunks))
    }

    #[tokio::test]
    async fn chunks_are_joined_in_their_order() {
        for (chunks, whole) in [
            (&[][..], ""),
            (&["one"], "one"),
            (&["", "one"], "one"),
            (&["one", "", " two", " three"], "one two three"),
        ] {
            assert_eq!(read_whole(body(chunks), 64).await.as_deref(), Ok(whole.as_bytes()));
        }
    }

    #[tokio::test]
    async fn exactly_the_limit_is_read_and_one_byte_more_is_not() {
        assert_eq!(read_whole(body(&["ab", "cd"]), 4).await.as_deref(), Ok(&b"abcd"[..]));
        assert_eq!(
            read_whole(body(&["ab", "cd", "e"]), 4).await,
            Err(ReadError::TooLarge { limit: 4 })
        );
        assert_eq!(read_whole(body(&["abcde"]), 4).await, Err(ReadError::TooLarge { limit: 4 }));
    }

    #[tokio::test]
    async fn an_endless_body_is_dropped_at_the_limit() {
        let asked = Arc::new(AtomicUsize::new(0));
        let counter = asked.clone();
        let endless = stream::repeat_with(move || {
            counter.fetch_add(1, Ordering::Relaxed);
            Ok(Bytes::from_static(&[b'x'; 1024]))
        });
        let read = read_whole(Body::stream(endless), READ_LIMIT).await;
        assert_eq!(read, Err(ReadError::TooLarge { limit: READ_LIMIT }));
        assert_eq!(asked.load(Ordering::Relaxed), READ_LIMIT / 1024 + 1);
        // The only other handle went with the body.
        assert_eq!(Arc::strong_count(&asked), 1);
    }

    #[tokio::test]
    async fn a_body_that_breaks_off_is_an_error() {
        let broken = stream::iter([Ok(Bytes::from_static(b"half"))])
            .chain(stream::iter([Err(TransportError::Closed)]));
        assert_eq!(
            read_whole(Body::stream(broken), 64).await,
            Err(ReadError::Transport(TransportError::Closed))
        );
    }
}
