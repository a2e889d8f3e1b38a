//! What a tool gives back to whoever called it: [`ToolResult`].

use serde_json::Value;

use super::outcome::Outcome;

/// How many bytes of text a result may have, and how many its artifacts take
/// as JSON.
pub const RESULT_BOUND: usize = 50_000;

/// Stands at the end of a text that was cut.
const CUT: &str = "\n[cut: the result is longer than 50000 bytes]";

/// What a tool gives back.
///
/// The outcome is the one source of whether it is an error, so that the two
/// cannot contradict each other. What is not ok has neither artifacts nor a
/// write target: a call that failed or was cut off has no claim to either.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolResult {
    outcome: Outcome,
    text: String,
    artifacts: Vec<Value>,
    write_target: Option<String>,
}

impl ToolResult {
    /// The tool did what it was asked to do; `text` is its answer.
    pub fn ok(text: impl Into<String>) -> Self {
        Self::of(Outcome::Ok, text)
    }

    /// The tool, the server or the way to it failed; `text` says how.
    pub fn failed(text: impl Into<String>) -> Self {
        Self::of(Outcome::Failed, text)
    }

    /// The run was cancelled; `text` says so.
    pub fn cancelled(text: impl Into<String>) -> Self {
        Self::of(Outcome::Cancelled, text)
    }

    fn of(outcome: Outcome, text: impl Into<String>) -> Self {
        ToolResult { outcome, text: text.into(), artifacts: Vec::new(), write_target: None }
    }

    /// The same result with a structured value beside its text. A result that
    /// is not ok stays as it is.
    pub fn with_artifact(mut self, artifact: Value) -> Self {
        if self.outcome == Outcome::Ok {
            self.artifacts.push(artifact);
        }
        self
    }

    /// The same result with what it wrote to. A result that is not ok stays as
    /// it is.
    pub fn with_write_target(mut self, target: impl Into<String>) -> Self {
        if self.outcome == Outcome::Ok {
            self.write_target = Some(target.into());
        }
        self
    }

    /// What the call came to.
    pub fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// Whether it is an error: everything but `ok`.
    pub fn is_error(&self) -> bool {
        self.outcome.is_error()
    }

    /// The text that a model reads.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Structured values beside the text.
    pub fn artifacts(&self) -> &[Value] {
        &self.artifacts
    }

    /// What it wrote to: `IDENTIFIER/REMOTE-NAME` for a remote tool.
    pub fn write_target(&self) -> Option<&str> {
        self.write_target.as_deref()
    }

    /// The same result within [`RESULT_BOUND`]: the text is cut at a
    /// character, with a mark inside the bound; artifacts that take more than
    /// the bound together are left out, all of them. The outcome stays.
    pub fn bounded(mut self) -> Self {
        if self.text.len() > RESULT_BOUND {
            let mut end = RESULT_BOUND - CUT.len();
            while !self.text.is_char_boundary(end) {
                end -= 1;
            }
            self.text.truncate(end);
            self.text.push_str(CUT);
        }
        let taken: usize = self.artifacts.iter().map(|artifact| artifact.to_string().len()).sum();
        if taken > RESULT_BOUND {
            self.artifacts.clear();
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_not_ok_has_no_claims() {
        for result in [ToolResult::failed("no"), ToolResult::cancelled("stopped")] {
            let result = result.with_artifact(json!({ "a": 1 })).with_write_target("s/t");
            assert!(result.is_error());
            assert!(result.artifacts().is_empty());
            assert_eq!(result.write_target(), None);
        }
        let result = ToolResult::ok("yes").with_artifact(json!(1)).with_write_target("s/t");
        assert!(!result.is_error());
        assert_eq!((result.artifacts().len(), result.write_target()), (1, Some("s/t")));
    }

    #[test]
    fn the_bound_keeps_the_outcome() {
        let long = "é".repeat(RESULT_BOUND);
        for result in
            [ToolResult::ok(&*long), ToolResult::failed(&*long), ToolResult::cancelled(&*long)]
        {
            let bounded = result.clone().bounded();
            assert_eq!(bounded.outcome(), result.outcome());
            assert!(bounded.text().len() <= RESULT_BOUND);
            assert!(bounded.text().ends_with(CUT));
        }
        let exact = ToolResult::ok("a".repeat(RESULT_BOUND));
        assert_eq!(exact.clone().bounded(), exact);
    }

    #[test]
    fn large_artifacts_are_left_out_whole() {
        let half = json!("a".repeat(RESULT_BOUND / 2));
        let one = ToolResult::ok("").with_artifact(half.clone());
        assert_eq!(one.clone().bounded(), one);
        assert!(one.with_artifact(half).bounded().artifacts().is_empty());
    }
}
