//! A list over its pages: [`walk`] (server/utilities/pagination).

use serde_json::{Value, json};

use super::budget::Budget;
use super::channel::Progress;
use super::error::{ClientError, ErrorKind};
use super::inner::{Attempts, Inner};
use super::operation::Operation;
use super::result_type::{ResultType, unexpected};
use super::size::size;
use super::transport::LeftOut;

/// How many pages of one list are read.
pub const PAGE_LIMIT: usize = 50;

/// How many bytes all items of one list may take: 64 MiB. A page is no longer than one
/// body, but as values it may take twenty times that.
pub const LIST_BYTES: usize = 64 * 1024 * 1024;

/// What a list came to over its pages.
#[derive(Debug, Default)]
pub(super) struct Walked {
    /// The items of all pages, in their order, less what was left out.
    pub items: Vec<Value>,
    /// The tools that must not be called.
    pub left_out: Vec<LeftOut>,
}

/// Reads all pages of a list; tools that must not be called are left out. A cursor is sent back as it came, be it empty. If the server refuses
/// one that stands on a page that was kept, the pages of that list are forgotten
/// and read from the beginning, once (2026-07-28, server/utilities/caching,
/// "Interaction with Pagination").
///
/// # Errors
/// [`ErrorKind::InvalidResult`] if a page has no array of items or a cursor
/// that is no string; [`ErrorKind::PageLimit`] if there is a page after the
/// last one that is read, [`ErrorKind::TooLarge`] if all of them are larger than
/// [`LIST_BYTES`]; whatever a request came to.
pub(super) async fn walk(
    client: &Inner,
    operation: &Operation,
    items: &str,
    progress: Progress,
    budget: &mut Budget,
) -> Result<Walked, ClientError> {
    let mut walk = Walk { client, operation, items, progress, cursor_was_kept: false };
    match walk.read(budget).await {
        Err(error) if walk.cursor_was_kept && error.kind == ErrorKind::JsonRpc => {
            client.cache.forget(operation.method());
            walk.read(budget).await
        }
        outcome => outcome,
    }
}

/// One way over the pages of a list.
struct Walk<'a> {
    client: &'a Inner,
    operation: &'a Operation,
    /// The member that holds a page's items.
    items: &'a str,
    progress: Progress,
    /// Whether the cursor that was used last stands on a page that was kept.
    cursor_was_kept: bool,
}

impl Walk<'_> {
    async fn read(&mut self, budget: &mut Budget) -> Result<Walked, ClientError> {
        let method = self.operation.method();
        let mut walked = Walked::default();
        let mut cursor = None;
        let mut taken: usize = 0;
        self.cursor_was_kept = false;
        for _ in 0..PAGE_LIMIT {
            let params = cursor.map(|cursor: String| json!({ "cursor": cursor }));
            let kept = self.client.kept(self.operation, params.as_ref());
            let is_kept = kept.is_some();
            let mut page = match kept {
                Some(page) => page,
                None => self.ask(params, budget).await?,
            };
            self.cursor_was_kept = is_kept;
            let Value::Array(mut found) = page[self.items].take() else {
                let message = format!("the result of {method} has no array `{}`", self.items);
                return Err(ClientError::new(ErrorKind::InvalidResult, message));
            };
            if *self.operation == Operation::ListTools {
                walked.left_out.extend(self.client.admit_tools(&mut found));
            }
            taken = found.iter().fold(taken, |taken, item| taken.saturating_add(size(item)));
            if taken > LIST_BYTES {
                let message = format!("the list of {method} takes more than {LIST_BYTES} bytes");
                return Err(ClientError::new(ErrorKind::TooLarge, message)
                    .with(|facts| facts.limit = Some(LIST_BYTES as u64)));
            }
            walked.items.extend(found);
            cursor = match page.get_mut("nextCursor").map(Value::take) {
                None => return Ok(walked),
                Some(Value::String(next)) => Some(next),
                Some(_) => {
                    let message =
                        format!("the result of {method} has a `nextCursor` that is no string");
                    return Err(ClientError::new(ErrorKind::InvalidResult, message));
                }
            };
        }
        let message = format!("{method} goes on after {PAGE_LIMIT} pages, which is the limit");
        Err(ClientError::new(ErrorKind::PageLimit, message)
            .with(|facts| facts.limit = Some(PAGE_LIMIT as u64)))
    }

    /// Asks for the page of these params: a list has no rounds.
    async fn ask(&self, params: Option<Value>, budget: &mut Budget) -> Result<Value, ClientError> {
        let (client, operation) = (self.client, self.operation);
        // What is said while the answer is on its way may be about what it holds.
        let heard = client.channel.inbox().heard();
        let mut attempts = Attempts::default();
        let sent = client.send(operation, params.clone(), self.progress, &mut attempts, budget);
        let result = sent.await?;
        let tasks = client.channel.takes_tasks();
        ResultType::of(&result, client.session().revision, tasks)
            .filter(|of| operation.may_come_to(*of))
            .ok_or_else(|| unexpected(operation.method()))?;
        client.keep(operation, params, &result, heard);
        Ok(result)
    }
}
