//! The executions that took longest: [`Slowest`].

use std::time::Duration;

use crate::report::describe::time;

/// How many are named.
const NAMED: usize = 3;

/// From which time on an execution is worth naming: longer than what most checks
/// wait for on a real clock.
const LONG: Duration = Duration::from_secs(5);

/// The slowest executions, the slowest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Slowest(Vec<(Duration, String)>);

impl Slowest {
    /// Adds an execution by its name and its profile.
    pub(super) fn add(&mut self, name: &str, profile: &str, elapsed: Duration) {
        if elapsed < LONG {
            return;
        }
        let place = self.0.partition_point(|(known, _)| *known >= elapsed);
        self.0.insert(place, (elapsed, format!("{name} for {profile}")));
        self.0.truncate(NAMED);
    }

    /// `slowest: a[case] for json in 15 s, …`; `None` if all were fast.
    pub(super) fn line(&self) -> Option<String> {
        let names: Vec<String> =
            self.0.iter().map(|(elapsed, name)| format!("{name} in {}", time(*elapsed))).collect();
        (!names.is_empty()).then(|| format!("slowest: {}", names.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_are_named_and_the_fast_are_not() {
        let mut slowest = Slowest::default();
        for (name, seconds) in [("a", 6), ("b", 1), ("c", 30), ("d", 7), ("e", 8)] {
            slowest.add(name, "json", Duration::from_secs(seconds));
        }
        let expected = "slowest: c for json in 30 s, e for json in 8 s, d for json in 7 s";
        assert_eq!(slowest.line().as_deref(), Some(expected));
        assert_eq!(Slowest::default().line(), None);
    }
}
