//! What is secret is seen nowhere: a secret of its own in every place that a
//! message, a command line and a file have, and a search through everything that
//! the program writes.
#![cfg(unix)]

mod operating;
mod planting;
mod profiles;
mod running;

use std::collections::BTreeMap;

use self::planting::{Kind, Planted};
use crate::place::{Place, Ran};

/// What the program wrote, by what it is.
#[derive(Default)]
pub struct Written(BTreeMap<String, String>);

impl Written {
    /// Adds both outputs of the program.
    pub fn ran(&mut self, what: &str, ran: &Ran) {
        self.0.insert(format!("{what}, standard output"), ran.stdout.clone());
        self.0.insert(format!("{what}, standard error"), ran.stderr.clone());
    }

    /// Adds every file of the folder that the program wrote, which is each that
    /// is not among `given`.
    pub fn files(&mut self, place: &Place, given: &[&str]) {
        for name in place.files() {
            if !given.iter().any(|given| name.starts_with(given)) {
                let bytes = std::fs::read(place.path(&name)).unwrap();
                self.0.insert(name, String::from_utf8_lossy(&bytes).into_owned());
            }
        }
    }

    /// Nothing of these kinds is in any of it.
    #[track_caller]
    pub fn holds_none(&self, planted: &Planted, kinds: &[Kind]) {
        let mut leaks = Vec::new();
        for (what, text) in &self.0 {
            let seen = planted.seen_in(kinds, text).into_iter();
            leaks.extend(seen.map(|place| format!("{place}: in {what}")));
        }
        assert!(leaks.is_empty(), "{} leaks:\n{}\n", leaks.len(), leaks.join("\n"));
    }

    /// All of it.
    pub fn text(&self) -> String {
        self.0.values().map(String::as_str).collect()
    }
}
