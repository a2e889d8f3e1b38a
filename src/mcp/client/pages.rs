//! A list over its pages: [`walk`] (server/utilities/pagination).

use serde_json::{Value, json};

use super::budget::Budget;
use super::error::{ClientError, ErrorKind};
use super::operation::Operation;
use super::rounds;
use super::{Inner, Progress};

/// How many pages of one list are read.
pub const PAGE_LIMIT: usize = 50;

/// The items of all pages, in their order; tools that must not be called are
/// left out. A cursor is sent back as it came, be
/// it empty.
///
/// # Errors
/// [`ErrorKind::InvalidResult`] if a page has no array of items or a cursor
/// that is no string; [`ErrorKind::PageLimit`] if there is a page after the
/// last one that is read; whatever a request came to.
pub(super) async fn walk(
    client: &Inner,
    operation: &Operation,
    items: &str,
    progress: Progress,
    budget: &mut Budget,
) -> Result<Value, ClientError> {
    let method = operation.method();
    let mut all = Vec::new();
    let mut cursor = None;
    for _ in 0..PAGE_LIMIT {
        let params = cursor.map(|cursor: String| json!({ "cursor": cursor }));
        let mut page = rounds::request(client, operation, params, progress, budget).await?;
        let Value::Array(mut found) = page[items].take() else {
            let message = format!("the result of {method} has no array `{items}`");
            return Err(ClientError::new(ErrorKind::InvalidResult, message));
        };
        if *operation == Operation::ListTools {
            client.admit_tools(&mut found);
        }
        all.extend(found);
        cursor = match page.get_mut("nextCursor").map(Value::take) {
            None => return Ok(all.into()),
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
