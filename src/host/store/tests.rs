//! Tests of the store: what is kept, and what is refused. What can be wrong
//! with a file is in `files`, who else holds it in `sharing`.

mod files;
mod sharing;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;
use crate::host::changes::Changes;
use crate::host::outcome::{Outcome, UnknownOutcome};
use crate::host::step::{NotAStep, Step};

/// A folder with the path of a store in it, which is not there yet.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("store")
    }

    fn open(&self) -> Store {
        Store::open(&self.path()).unwrap()
    }

    /// Every file in the folder with its bytes, but for the index of SQLite's
    /// log, which holds nothing.
    fn contents(&self) -> Vec<(String, Vec<u8>)> {
        let entries = std::fs::read_dir(self.0.path()).unwrap().map(Result::unwrap);
        let name = |entry: &std::fs::DirEntry| entry.file_name().into_string().unwrap();
        let mut contents: Vec<_> = entries
            .map(|entry| (name(&entry), std::fs::read(entry.path()).unwrap()))
            .filter(|(name, _)| !name.ends_with("-shm"))
            .collect();
        contents.sort();
        contents
    }
}

fn declared(tool: &str) -> Step {
    Step::Declared { tool: tool.to_owned(), effect: "non-idempotent-write".to_owned() }
}

fn executed(tool: &str, outcome: Outcome, text: &str) -> Step {
    Step::Tool { tool: tool.to_owned(), outcome, text: text.to_owned() }
}

fn tool(server: &str, name: &str) -> StoredTool {
    StoredTool {
        server: server.to_owned(),
        remote_name: name.to_owned(),
        local_name: format!("mcp_{server}_{name}"),
        description: Some(format!("what {name} is for")),
        schema: r#"{"type":"object"}"#.to_owned(),
        schema_as_sent: r#"{"type":"object","title":"t"}"#.to_owned(),
        annotations: Some("{}".to_owned()),
        origin: Some(format!("https://{server}.test")),
        enabled: false,
        changed: Changes::default(),
        orphaned: false,
    }
}

/// The steps of every run that can be read: run, sequence, step.
fn steps(store: &Store) -> Vec<(i64, i64, Step)> {
    let events = store.events().unwrap().into_iter();
    events.map(|event| (event.run, event.sequence, event.step.unwrap())).collect()
}

#[test]
fn what_is_written_is_read_and_outlives_the_handle() {
    let folder = Folder::new();
    let contact =
        Contact { server: "s".to_owned(), at: 7, operation: "ping".to_owned(), latency: 3 };
    let denial = LoggedDenial {
        at: 8,
        caller: "someone".to_owned(),
        tool: "t".to_owned(),
        reason: "disabled".to_owned(),
    };
    let text = "é\u{0}\u{202e}\n".repeat(4000);
    {
        let store = folder.open();
        let first = store.begin_run("someone", "me", 1, 61).unwrap();
        let second = store.begin_run("another", "me", 2, 62).unwrap();
        assert_eq!((first, second), (1, 2));
        store.append(first, &declared("t"), 3).unwrap();
        store.append(second, &declared("u"), 4).unwrap();
        store.append(first, &executed("t", Outcome::Ok, &text), 5).unwrap();
        store.append(second, &executed("u", Outcome::Cancelled, ""), 5).unwrap();
        assert!(store.end_run(first, RunStatus::Completed, 6).unwrap());
        store.record_contact(&contact).unwrap();
        store.record_denial(&denial).unwrap();
        store.import("s", &[tool("s", "a")], 9).unwrap();
        assert!(store.enable("mcp_s_a", true).unwrap());
    }
    let store = Store::open_existing(&folder.path()).unwrap();
    assert_eq!(
        steps(&store),
        [
            (1, 1, declared("t")),
            (1, 2, executed("t", Outcome::Ok, &text)),
            (2, 1, declared("u")),
            (2, 2, executed("u", Outcome::Cancelled, "")),
        ]
    );
    let times: Vec<i64> = store.events().unwrap().iter().map(|event| event.at).collect();
    assert_eq!(times, [3, 5, 4, 5]);
    let run = |id, caller: &str, status, started_at, ended_at, lease_until| RunRecord {
        id,
        caller: caller.to_owned(),
        status: Ok(status),
        started_at,
        ended_at,
        lease_until,
    };
    assert_eq!(
        store.runs().unwrap(),
        [
            run(1, "someone", RunStatus::Completed, 1, Some(6), None),
            run(2, "another", RunStatus::Running, 2, None, Some(62)),
        ]
    );
    assert_eq!(store.contacts().unwrap(), [contact]);
    assert_eq!(store.denials().unwrap(), [denial]);
    let enabled = || StoredTool { enabled: true, ..tool("s", "a") };
    assert_eq!(store.tools().unwrap(), [enabled()]);
    assert_eq!(store.tool("mcp_s_a").unwrap(), Some(enabled()));
    assert_eq!(store.tool("mcp_s_b").unwrap(), None);
    assert!(!store.enable("mcp_s_b", true).unwrap());
}

#[test]
fn a_run_ends_once() {
    let store = Store::in_memory().unwrap();
    let run = store.begin_run("someone", "me", 1, 61).unwrap();
    assert!(store.end_run(run, RunStatus::Cancelled, 2).unwrap());
    assert!(!store.end_run(run, RunStatus::Completed, 3).unwrap());
    assert!(!store.end_run(run + 1, RunStatus::Completed, 3).unwrap());
    let stored = &store.runs().unwrap()[0];
    assert_eq!((stored.status.clone(), stored.ended_at), (Ok(RunStatus::Cancelled), Some(2)));
}

#[test]
fn a_lease_is_prolonged_by_its_owner_while_it_lasts() {
    let store = Store::in_memory().unwrap();
    let run = store.begin_run("someone", "me", 0, 60).unwrap();
    assert!(store.renew_lease(run, "me", 60, 120).unwrap(), "it lasts to its last moment");
    assert!(!store.renew_lease(run, "another", 61, 200).unwrap(), "another does not hold it");
    assert!(!store.renew_lease(run, "me", 121, 200).unwrap(), "it ran out");
    assert!(store.renew_lease(run, "me", 100, 160).unwrap());
    store.end_run(run, RunStatus::Completed, 101).unwrap();
    assert!(!store.renew_lease(run, "me", 102, 200).unwrap(), "the run has ended");
    assert!(!store.renew_lease(99, "me", 0, 60).unwrap(), "there is no such run");
}

#[test]
fn a_step_belongs_to_a_run() {
    let store = Store::in_memory().unwrap();
    assert!(matches!(store.append(1, &declared("t"), 0), Err(StoreError::Failed { .. })));
    assert_eq!(steps(&store), []);
}

#[test]
fn an_import_keeps_what_the_operator_set_and_orphans_what_is_gone() {
    let store = Store::in_memory().unwrap();
    let (a, b, c) = (tool("s", "a"), tool("s", "b"), tool("s", "c"));
    let other = tool("other", "a");
    store.import("other", std::slice::from_ref(&other), 0).unwrap();
    let imported = |tools: &[StoredTool]| store.import("s", tools, 1).unwrap();
    assert_eq!(imported(&[a.clone(), b.clone()]), (vec![Imported::New; 2], vec![]));
    store.enable("mcp_s_a", true).unwrap();
    let changed = StoredTool { description: None, ..b.clone() };
    // The server calls `a` by another name.
    let became = vec![Imported::Changed, Imported::New];
    assert_eq!(imported(&[changed.clone(), c.clone()]), (became, vec!["mcp_s_a".to_owned()]));
    // An orphan is told once.
    let became = vec![Imported::Unchanged, Imported::Unchanged];
    assert_eq!(imported(&[changed, c]), (became, vec![]));
    let orphaned = |name: &str| store.tool(name).unwrap().unwrap().orphaned;
    assert!(orphaned("mcp_s_a") && !orphaned("mcp_s_b") && !orphaned("mcp_other_a"));
    // It comes back as the operator left it.
    assert_eq!(imported(&[a]).0, [Imported::Returned]);
    let back = store.tool("mcp_s_a").unwrap().unwrap();
    assert!(back.enabled && !back.orphaned);
}

#[test]
fn what_changes_after_it_was_enabled_is_off_until_it_is_enabled_again() {
    let store = Store::in_memory().unwrap();
    let import = |tool: &StoredTool| {
        store.import("s", std::slice::from_ref(tool), 1).unwrap();
        let stored = store.tool("mcp_s_a").unwrap().unwrap();
        (stored.enabled, stored.changed.to_string())
    };
    let first = tool("s", "a");
    let described = StoredTool { description: None, ..first.clone() };
    let elsewhere = StoredTool { origin: Some("https://t.test".to_owned()), ..described.clone() };
    let state = |enabled: bool, changed: &str| (enabled, changed.to_owned());
    import(&first);
    // What nobody approved cannot become another than what was approved.
    assert_eq!(import(&described), state(false, ""));
    store.enable("mcp_s_a", true).unwrap();
    assert_eq!(import(&described), state(true, ""));
    let reordered = r#"{"title":"t","type":"object"}"#.to_owned();
    let same = StoredTool { schema_as_sent: reordered, ..described.clone() };
    assert_eq!(import(&same), state(true, ""), "the order of members says nothing");
    assert_eq!(import(&elsewhere), state(false, "origin"));
    // Whatever it becomes then, it changed.
    assert_eq!(import(&first), state(false, "description, origin"));
    assert_eq!(import(&described), state(false, "description, origin"));
    store.enable("mcp_s_a", true).unwrap();
    assert_eq!(import(&described), state(true, ""));
    store.import("s", &[], 1).unwrap();
    assert_eq!(import(&first), state(false, "description"), "it came back as another");
    store.enable("mcp_s_a", false).unwrap();
    assert_eq!(import(&described), state(false, ""), "the operator took it back");
    // Both at once is refused.
    store.enable("mcp_s_a", true).unwrap();
    let both = store.lock().execute("UPDATE tool SET changed = 'schema'", []);
    assert!(both.is_err());
}

#[test]
fn an_import_is_taken_whole_or_not_at_all() {
    let store = Store::in_memory().unwrap();
    store.import("s", &[tool("s", "a")], 0).unwrap();
    // Its local name belongs to another tool.
    let clash = StoredTool { local_name: "mcp_s_a".to_owned(), ..tool("s", "c") };
    let before = store.tools().unwrap();
    let refused = store.import("s", &[tool("s", "b"), clash], 1);
    assert!(matches!(refused, Err(StoreError::Failed { .. })), "{refused:?}");
    assert_eq!(store.tools().unwrap(), before);
}

#[test]
fn a_refused_table_refuses_until_it_takes_rows_again() {
    let store = Store::in_memory().unwrap();
    let run = store.begin_run("someone", "me", 0, 60).unwrap();
    for place in Place::ALL {
        store.refuse_rows(place).unwrap();
    }
    store.refuse_rows(Place::Event).unwrap();
    let contact =
        Contact { server: "s".to_owned(), at: 0, operation: "ping".to_owned(), latency: 0 };
    let denial = LoggedDenial {
        at: 0,
        caller: "c".to_owned(),
        tool: "t".to_owned(),
        reason: "disabled".to_owned(),
    };
    let attempts = || {
        [
            store.append(run, &declared("t"), 1).is_ok(),
            store.begin_run("someone", "me", 0, 60).is_ok(),
            store.record_contact(&contact).is_ok(),
            store.record_denial(&denial).is_ok(),
            store.import("s", &[tool("s", "a")], 0).is_ok(),
        ]
    };
    assert_eq!(attempts(), [false; 5]);
    for place in Place::ALL {
        store.take_rows(place).unwrap();
    }
    assert_eq!(attempts(), [true; 5]);
}

/// A row for a table, from JSON.
fn write(store: &Store, place: Place, row: &Value, checked: bool) -> Result<(), StoreError> {
    store.write_row(place, row.as_object().unwrap(), checked)
}

#[test]
fn rows_that_contradict_themselves_are_refused_and_never_read() {
    let store = Store::in_memory().unwrap();
    let run = store.begin_run("someone", "me", 0, 60).unwrap();
    store.append(run, &executed("t", Outcome::Failed, "before"), 1).unwrap();
    let contradictions = [
        json!({ "kind": "tool", "is_error": 0, "outcome": "failed" }),
        json!({ "kind": "tool", "is_error": 0, "outcome": "cancelled" }),
        json!({ "kind": "tool", "is_error": 1, "outcome": "ok" }),
        json!({ "kind": "tool", "is_error": null, "outcome": "ok" }),
        json!({ "kind": "tool", "is_error": 1, "outcome": "error" }),
        json!({ "kind": "declared", "is_error": null, "outcome": "ok" }),
        json!({ "kind": "declared", "is_error": 0, "outcome": null }),
    ];
    let missing = NotAStep::Missing { kind: "tool", field: "is_error" };
    let contradiction = |is_error, outcome| NotAStep::Contradiction { is_error, outcome };
    let reasons = [
        contradiction(false, Outcome::Failed),
        contradiction(false, Outcome::Cancelled),
        contradiction(true, Outcome::Ok),
        missing,
        NotAStep::UnknownOutcome(UnknownOutcome("error".to_owned())),
        NotAStep::OutcomeWithoutTool,
        NotAStep::OutcomeWithoutTool,
    ];
    for (index, row) in contradictions.iter().enumerate() {
        let mut row = row.clone();
        row["run"] = run.into();
        row["sequence"] = (index + 2).into();
        row["at"] = 2.into();
        row["tool"] = "t".into();
        row["effect"] = "read".into();
        let refused = write(&store, Place::Event, &row, true);
        assert!(matches!(refused, Err(StoreError::Failed { .. })), "{row} {refused:?}");
        assert_eq!(store.events().unwrap().len(), index + 1, "nothing of it is stored");
        write(&store, Place::Event, &row, false).unwrap();
        let events = store.events().unwrap();
        let read = &events.last().unwrap().step;
        assert!(
            matches!(read, Err(StoreError::UnreadableStep { reason, .. }) if *reason == reasons[index]),
            "{row} {read:?}"
        );
    }
    // The rules hold again, the first step is still read, and the run goes on.
    assert!(write(&store, Place::Run, &json!({ "id": 9, "status": "lost" }), true).is_err());
    store.append(run, &executed("t", Outcome::Ok, "after"), 3).unwrap();
    let readable: Vec<Step> =
        store.events().unwrap().into_iter().filter_map(|event| event.step.ok()).collect();
    let expected = [executed("t", Outcome::Failed, "before"), executed("t", Outcome::Ok, "after")];
    assert_eq!(readable, expected);
}

#[test]
fn a_status_that_is_none_hides_no_other_run() {
    let store = Store::in_memory().unwrap();
    store.begin_run("someone", "me", 0, 60).unwrap();
    let row = json!({ "id": 2, "caller": "c", "status": "lost", "started_at": 1 });
    assert!(write(&store, Place::Run, &row, true).is_err());
    write(&store, Place::Run, &row, false).unwrap();
    let statuses: Vec<_> = store.runs().unwrap().into_iter().map(|run| run.status).collect();
    assert_eq!(statuses, [Ok(RunStatus::Running), Err(UnknownStatus("lost".to_owned()))]);
}

#[test]
fn a_text_that_is_not_utf_8_hides_no_other_step() {
    let store = Store::in_memory().unwrap();
    let run = store.begin_run("someone", "me", 0, 60).unwrap();
    for outcome in [Outcome::Ok, Outcome::Failed] {
        store.append(run, &executed("t", outcome, "text"), 1).unwrap();
    }
    store
        .lock()
        .execute("UPDATE event SET text = CAST(x'61ff62' AS TEXT) WHERE sequence = 1", [])
        .unwrap();
    let events = store.events().unwrap();
    assert!(matches!(
        events[0].step,
        Err(StoreError::UnreadableStep { sequence: 1, reason: NotAStep::NotText, .. })
    ));
    assert_eq!(*events[1].step.as_ref().unwrap(), executed("t", Outcome::Failed, "text"));
}

#[test]
fn a_row_names_columns_and_nothing_else() {
    let store = Store::in_memory().unwrap();
    let row = json!({ "id) VALUES (1); DROP TABLE run; --": 1 });
    assert!(matches!(write(&store, Place::Run, &row, true), Err(StoreError::Failed { .. })));
    assert_eq!(store.runs().unwrap(), []);
    assert_eq!(Place::ALL.map(|place| Place::named(place.as_str())), Place::ALL.map(Some));
    assert_eq!(Place::named("sqlite_schema"), None);
}
