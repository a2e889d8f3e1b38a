//! Parsers of what strangers send, fed with inputs that no person would write.
//!
//! Each target has seeds (files of `corpus/TARGET`, and what the program ships), words of
//! its language, and a function that reads one input and asserts what has to hold of it. It
//! is deterministic: the same seed gives the same inputs. An ordinary `cargo test` replays
//! the seeds, reads long inputs and a few thousand mutated ones.
//!
//! | variable | what it sets |
//! |---|---|
//! | `FUZZ_INPUTS` | how many inputs each target reads; 2,000 if left out |
//! | `FUZZ_SECONDS` | when a target ends although it has not read that many |
//! | `FUZZ_SEED` | which inputs these are; 1 if left out |
//!
//! ```text
//! FUZZ_INPUTS=1000000 cargo test --release --test fuzz -- --nocapture mutated
//! ```
//!
//! An input that fails is made shorter, written to a file, and named. A copy of it in
//! `corpus/TARGET` is read by each later run.

mod engine;
mod long;
mod mutate;
mod targets;

use engine::Target;

macro_rules! targets {
    ($($name:ident)*) => {
        mod replayed {
            $(#[test] fn $name() { super::engine::replay(&super::targets::$name::TARGET); })*
        }
        mod mutated {
            $(#[test] fn $name() { super::engine::fuzz(&super::targets::$name::TARGET); })*
        }
        mod lengthened {
            $(#[test] fn $name() { super::long::lengthen(&super::targets::$name::TARGET); })*
        }
        /// Every target.
        const ALL: &[&Target] = &[$(&targets::$name::TARGET),*];
    };
}

targets! { challenges event_stream expected_failures header http_text json_rpc profile redaction }

#[test]
fn each_folder_of_the_corpus_belongs_to_a_target() {
    let mut names: Vec<String> = std::fs::read_dir(engine::corpus())
        .expect("the corpus can be listed")
        .map(|entry| entry.expect("it can be read").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let targets: Vec<&str> = ALL.iter().map(|target| target.name).collect();
    assert_eq!(names, targets);
}
