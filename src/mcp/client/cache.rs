//! Results that the server lets a client keep (2026-07-28,
//! server/utilities/caching). The main type is [`Cache`].
//!
//! One client belongs to one authorization context, so what is private may be
//! kept as well as what is public.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use super::size::size;

/// How many bytes all kept results may take, as values: 64 MiB. What was kept first is
/// forgotten first.
const MOST: usize = 64 * 1024 * 1024;
/// How many results are kept.
const MOST_RESULTS: usize = 1_000;

/// Results by method and parameters, for as long as they are fresh.
#[derive(Debug, Default)]
pub struct Cache(Mutex<Vec<Kept>>);

#[derive(Debug)]
struct Kept {
    method: &'static str,
    params: Option<Value>,
    result: Value,
    stale_at: Instant,
    /// How many notifications had come when it was asked for, or was last looked at.
    heard: usize,
    /// How many bytes it takes, about.
    size: usize,
}

impl Cache {
    /// The fresh result of this very request, unless one of `notifications`, all
    /// that came so far, says that it is another by now.
    pub fn fresh(
        &self,
        method: &str,
        params: Option<&Value>,
        notifications: &[Value],
    ) -> Option<Value> {
        let now = Instant::now();
        let mut all = self.lock();
        all.retain_mut(|kept| {
            let since = notifications.get(kept.heard..).unwrap_or_default();
            // Each is looked at once, however often the result is asked for.
            kept.heard = kept.heard.max(notifications.len());
            now < kept.stale_at && !since.iter().any(|notification| kept.is_changed(notification))
        });
        let found = all.iter().find(|kept| kept.method == method && kept.params.as_ref() == params);
        found.map(|kept| kept.result.clone())
    }

    /// Keeps a complete result for as long as it says; `heard` is how many
    /// notifications had come when it was asked for, so that one that came
    /// meanwhile makes it stale. Delays are divided by `scale`.
    pub fn keep(
        &self,
        method: &'static str,
        params: Option<Value>,
        result: &Value,
        heard: usize,
        scale: u32,
    ) {
        // Left out, negative or no whole number: stale at once ("Time-to-Live
        // (TTL) Field").
        let Some(time @ 1..) = result["ttlMs"].as_u64() else { return };
        let now = Instant::now();
        let end = now.checked_add(Duration::from_millis(time) / scale.max(1));
        let mut all = self.lock();
        all.retain(|kept| kept.method != method || kept.params != params);
        let Some(stale_at) = end else { return };
        let size = size(result) + params.as_ref().map_or(0, size);
        if size > MOST {
            return;
        }
        let mut taken: usize = all.iter().map(|kept| kept.size).sum();
        let too_many = all.iter().enumerate().take_while(|(index, kept)| {
            let is_too_much = taken + size > MOST || all.len() - index >= MOST_RESULTS;
            taken -= if is_too_much { kept.size } else { 0 };
            is_too_much
        });
        let too_many = too_many.count();
        all.drain(..too_many);
        all.push(Kept { method, params, result: result.clone(), stale_at, heard, size });
    }

    /// Forgets every result of a method.
    pub fn forget(&self, method: &str) {
        self.lock().retain(|kept| kept.method != method);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Kept>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    /// Whether a notification says that this result is another by now.
    fn is_changed(&self, notification: &Value) -> bool {
        match notification["method"].as_str().unwrap_or_default() {
            "notifications/tools/list_changed" => self.method == "tools/list",
            "notifications/prompts/list_changed" => self.method == "prompts/list",
            "notifications/resources/list_changed" => {
                matches!(self.method, "resources/list" | "resources/templates/list")
            }
            "notifications/resources/updated" => {
                let kept = self.params.as_ref().and_then(|params| params["uri"].as_str());
                let updated = notification["params"]["uri"].as_str();
                self.method == "resources/read"
                    && kept.zip(updated).is_some_and(|(kept, updated)| is_within(updated, kept))
            }
            _ => false,
        }
    }
}

/// Whether `uri` is `above`, or what lies below it: what is told of a
/// subscription may be about a sub-resource (schema,
/// `ResourceUpdatedNotification`).
fn is_within(uri: &str, above: &str) -> bool {
    let Some(rest) = uri.strip_prefix(above) else { return false };
    rest.is_empty() || above.ends_with('/') || rest.starts_with(['/', '?', '#'])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn keep(cache: &Cache, uri: &str, text: &str) {
        let result = json!({ "contents": [{ "uri": uri, "text": text }], "ttlMs": 60_000 });
        cache.keep("resources/read", Some(json!({ "uri": uri })), &result, 0, 1);
    }

    fn is_kept(cache: &Cache, uri: &str) -> bool {
        cache.fresh("resources/read", Some(&json!({ "uri": uri })), &[]).is_some()
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_kept_is_bounded_in_bytes_and_in_number() {
        let cache = Cache::default();
        let text = "x".repeat(MOST / 4);
        for uri in ["a", "b", "c", "d"] {
            keep(&cache, uri, &text);
        }
        assert!(!is_kept(&cache, "a"), "what was kept first is forgotten first");
        assert!(["b", "c", "d"].iter().all(|uri| is_kept(&cache, uri)));
        keep(&cache, "e", &"x".repeat(MOST));
        assert!(!is_kept(&cache, "e") && is_kept(&cache, "b"), "one alone may be too large");
        for number in 0..MOST_RESULTS {
            keep(&cache, &format!("{number}"), "");
        }
        assert!(!is_kept(&cache, "d") && is_kept(&cache, "0"));
        assert_eq!(cache.lock().len(), MOST_RESULTS);
    }
}
