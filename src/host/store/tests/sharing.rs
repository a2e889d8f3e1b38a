//! Several connections, as of several processes, with one file.

use std::sync::Barrier;
use std::thread;

use rusqlite::TransactionBehavior;

use super::*;

/// Patience that a test has.
const SHORT: Duration = Duration::from_millis(50);

impl Folder {
    fn open_with(&self, patience: Duration) -> Result<Store, StoreError> {
        Store::open_with(&self.path(), true, patience)
    }
}

#[test]
fn a_writer_that_is_never_done_is_given_up() {
    let folder = Folder::new();
    let holder = folder.open();
    let run = holder.begin_run("someone", "me", 0, 60).unwrap();
    let store = folder.open_with(SHORT).unwrap();
    let mut connection = holder.lock();
    let held = connection.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
    let refused = store.append(run, &declared("t"), 1);
    assert!(matches!(refused, Err(StoreError::Busy { what: "storing a step" })), "{refused:?}");
    // Who only reads is not kept waiting, nor who only opens.
    assert_eq!(store.runs().unwrap().len(), 1);
    assert_eq!(folder.open_with(SHORT).unwrap().runs().unwrap().len(), 1);
    drop(held);
    store.append(run, &declared("t"), 2).unwrap();
    assert_eq!(steps(&store), [(run, 1, declared("t"))]);
}

#[test]
fn a_writer_that_is_done_soon_is_waited_for() {
    let folder = Folder::new();
    let holder = folder.open();
    let run = holder.begin_run("someone", "me", 0, 60).unwrap();
    let store = folder.open();
    thread::scope(|scope| {
        let mut connection = holder.lock();
        let held = connection.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
        let writer = scope.spawn(|| store.append(run, &declared("t"), 1));
        thread::sleep(SHORT);
        assert!(!writer.is_finished(), "it waits");
        held.commit().unwrap();
        writer.join().unwrap().unwrap();
    });
    assert_eq!(steps(&store).len(), 1);
}

#[test]
fn two_who_make_one_store_at_once_both_have_it() {
    for _ in 0..20 {
        let folder = Folder::new();
        let barrier = Barrier::new(4);
        let begin = |owner: usize| {
            barrier.wait();
            let store = folder.open();
            store.begin_run("someone", &owner.to_string(), 0, 60).unwrap()
        };
        let mut runs: Vec<i64> = thread::scope(|scope| {
            let begin = &begin;
            let starting: Vec<_> = (0..4).map(|owner| scope.spawn(move || begin(owner))).collect();
            starting.into_iter().map(|begun| begun.join().unwrap()).collect()
        });
        runs.sort_unstable();
        assert_eq!(runs, [1, 2, 3, 4]);
    }
}

#[test]
fn steps_of_one_run_from_two_writers_are_numbered_one_after_the_other() {
    let folder = Folder::new();
    let (one, other) = (folder.open(), folder.open());
    let run = one.begin_run("someone", "me", 0, 60).unwrap();
    thread::scope(|scope| {
        for store in [&one, &other] {
            scope.spawn(move || {
                for at in 0..25 {
                    store.append(run, &declared("t"), at).unwrap();
                }
            });
        }
    });
    let sequences: Vec<i64> = steps(&one).into_iter().map(|(_, sequence, _)| sequence).collect();
    assert_eq!(sequences, (1..=50).collect::<Vec<i64>>());
}
