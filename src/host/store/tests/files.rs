//! Files that are stores of another version, no stores, damaged, or full.

use std::fs;

use rusqlite::Connection;

use super::*;
use crate::host::store::layout::OUTCOMES;

/// The tables of version 1: there was no `outcome`.
const VERSION_1: &str = "
    CREATE TABLE tool (
      server TEXT NOT NULL, remote_name TEXT NOT NULL, local_name TEXT NOT NULL UNIQUE,
      description TEXT, schema TEXT NOT NULL, schema_as_sent TEXT NOT NULL, annotations TEXT,
      enabled INTEGER NOT NULL DEFAULT 0, orphaned INTEGER NOT NULL DEFAULT 0,
      imported_at INTEGER NOT NULL, PRIMARY KEY (server, remote_name)) STRICT;
    CREATE TABLE run (
      id INTEGER PRIMARY KEY AUTOINCREMENT, caller TEXT NOT NULL,
      status TEXT NOT NULL CHECK (status IN ('running', 'completed', 'failed', 'cancelled')),
      started_at INTEGER NOT NULL, ended_at INTEGER, lease_owner TEXT, lease_until INTEGER) STRICT;
    CREATE TABLE event (
      run INTEGER NOT NULL REFERENCES run (id), sequence INTEGER NOT NULL, at INTEGER NOT NULL,
      kind TEXT NOT NULL, tool TEXT, effect TEXT, is_error INTEGER CHECK (is_error IN (0, 1)),
      text TEXT, PRIMARY KEY (run, sequence), CHECK (is_error IS NULL OR kind = 'tool')) STRICT;
    CREATE TABLE contact (
      id INTEGER PRIMARY KEY AUTOINCREMENT, server TEXT NOT NULL, at INTEGER NOT NULL,
      operation TEXT NOT NULL, latency INTEGER NOT NULL) STRICT;
    CREATE TABLE denial (
      id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, caller TEXT NOT NULL,
      tool TEXT NOT NULL, reason TEXT NOT NULL) STRICT;
    INSERT INTO run (caller, status, started_at) VALUES ('someone', 'running', 1);
    INSERT INTO event (run, sequence, at, kind, tool, effect, is_error, text) VALUES
      (1, 1, 2, 'declared', 't', 'non-idempotent-write', NULL, NULL),
      (1, 2, 3, 'tool', 't', NULL, 0, 'yes'),
      (1, 3, 4, 'tool', 't', NULL, 1, 'no');
    INSERT INTO contact (server, at, operation, latency) VALUES ('s', 5, 'tools/call', 6);
    PRAGMA application_id = 0x6d637063;
    PRAGMA user_version = 1;";

/// The columns of a table with all that SQLite knows of them.
fn columns(store: &Store, table: &str) -> Vec<(String, String, bool)> {
    let connection = store.lock();
    let mut query =
        connection.prepare("SELECT name, type, \"notnull\" FROM pragma_table_info(?1)").unwrap();
    let rows = query.query_map([table], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
    rows.unwrap().map(Result::unwrap).collect()
}

#[test]
fn version_1_is_brought_up_to_date_and_reads_as_it_did() {
    let folder = Folder::new();
    Connection::open(folder.path()).unwrap().execute_batch(VERSION_1).unwrap();
    for _ in 0..2 {
        let store = folder.open();
        let old = [
            (1, 1, declared("t")),
            (1, 2, executed("t", Outcome::Ok, "yes")),
            (1, 3, executed("t", Outcome::Failed, "no")),
        ];
        assert_eq!(steps(&store)[..3], old);
        assert_eq!(store.contacts().unwrap().len(), 1);
    }
    let store = folder.open();
    store.append(1, &executed("t", Outcome::Cancelled, ""), 7).unwrap();
    assert_eq!(steps(&store)[3], (1, 4, executed("t", Outcome::Cancelled, "")));
    let contradiction = json!({
        "run": 1, "sequence": 9, "at": 8, "kind": "tool", "tool": "t", "is_error": 1,
        "outcome": "ok",
    });
    assert!(write(&store, Place::Event, &contradiction, true).is_err(), "the new rule holds");
    let new = Store::in_memory().unwrap();
    for place in Place::ALL {
        assert_eq!(columns(&store, place.as_str()), columns(&new, place.as_str()));
    }
}

#[test]
fn what_an_earlier_version_enabled_is_off_until_it_is_enabled_again() {
    let folder = Folder::new();
    let connection = Connection::open(folder.path()).unwrap();
    connection.execute_batch(VERSION_1).unwrap();
    connection.execute_batch(OUTCOMES).unwrap();
    connection
        .execute_batch(
            "INSERT INTO tool (server, remote_name, local_name, schema, schema_as_sent, enabled, \
             imported_at) VALUES ('s', 'a', 'mcp_s_a', '{}', '{}', 1, 0), \
             ('s', 'b', 'mcp_s_b', '{}', '{}', 0, 0);
             PRAGMA user_version = 2;",
        )
        .unwrap();
    drop(connection);
    let store = folder.open();
    let origin = "https://s.test";
    let rows = || store.tools().unwrap();
    let changed = |tool: &StoredTool| tool.changed_at(origin).to_string();
    assert_eq!(rows().iter().map(changed).collect::<Vec<_>>(), ["origin", ""]);
    let listed = |name: &str| StoredTool {
        description: None,
        schema_as_sent: "{}".to_owned(),
        annotations: None,
        ..tool("s", name)
    };
    let (became, _) = store.import("s", &[listed("a"), listed("b")], 1).unwrap();
    assert_eq!(became, [Imported::Changed, Imported::Unchanged]);
    assert_eq!(rows().iter().map(changed).collect::<Vec<_>>(), ["origin", ""]);
    assert!(rows().iter().all(|tool| !tool.enabled));
    store.enable("mcp_s_a", true).unwrap();
    assert!(rows()[0].enabled && !rows()[0].changed.any());
}

#[test]
fn a_migration_that_is_broken_off_leaves_version_1() {
    let folder = Folder::new();
    {
        let connection = Connection::open(folder.path()).unwrap();
        connection.execute_batch(VERSION_1).unwrap();
        // What the migration adds is there already: it cannot be done.
        connection.execute_batch("ALTER TABLE event ADD COLUMN outcome TEXT").unwrap();
    }
    let before = folder.contents();
    let opened = Store::open(&folder.path());
    assert!(matches!(opened, Err(StoreError::CannotOpen { .. })));
    unchanged(&folder, &before);
}

#[track_caller]
fn unchanged(folder: &Folder, before: &[(String, Vec<u8>)]) {
    let after = folder.contents();
    let lengths = |contents: &[(String, Vec<u8>)]| -> Vec<(String, usize)> {
        contents.iter().map(|(name, bytes)| (name.clone(), bytes.len())).collect()
    };
    assert_eq!(lengths(&after), lengths(before));
    assert!(after == before, "it was left as it is, byte for byte");
}

/// Opens what must not be opened, and looks whether it was left as it is.
#[track_caller]
fn refused(folder: &Folder) -> StoreError {
    let before = folder.contents();
    let refusals = [Store::open(&folder.path()), Store::open_existing(&folder.path())];
    unchanged(folder, &before);
    let [first, second] = refusals.map(|opened| opened.err().expect("it is not opened"));
    assert_eq!(first.to_string(), second.to_string());
    assert!(first.to_string().contains(&folder.path().display().to_string()), "{first}");
    first
}

/// A store with enough in it to have pages of every kind.
fn filled() -> Folder {
    let folder = Folder::new();
    let store = folder.open();
    let run = store.begin_run("someone", "me", 0, 60).unwrap();
    for number in 0..40 {
        store.append(run, &executed("t", Outcome::Ok, &"x".repeat(3000)), number).unwrap();
    }
    folder
}

#[test]
fn a_store_of_a_newer_version_is_left_alone() {
    let folder = filled();
    let connection = Connection::open(folder.path()).unwrap();
    connection.pragma_update(None, "user_version", VERSION + 1).unwrap();
    drop(connection);
    let error = refused(&folder);
    assert!(matches!(error, StoreError::Newer { found, .. } if found == VERSION + 1), "{error:?}");
    assert!(!folder.contents().iter().any(|(name, _)| name.ends_with("-wal")), "nothing is beside");
}

#[test]
fn a_newer_version_that_stands_in_the_log_alone_is_left_alone() {
    let folder = filled();
    // Whoever wrote it was killed: the log was never folded into the file.
    let connection = Connection::open(folder.path()).unwrap();
    connection.pragma_update(None, "user_version", VERSION + 1).unwrap();
    let killed = Folder::new();
    for (name, bytes) in folder.contents() {
        fs::write(killed.0.path().join(name), bytes).unwrap();
    }
    assert!(killed.contents().iter().any(|(name, log)| name == "store-wal" && !log.is_empty()));
    assert!(matches!(refused(&killed), StoreError::Newer { .. }));
}

#[test]
fn a_database_of_another_program_is_left_alone() {
    for mode in ["DELETE", "WAL"] {
        let folder = Folder::new();
        let connection = Connection::open(folder.path()).unwrap();
        let statements = format!("PRAGMA journal_mode = {mode}; CREATE TABLE theirs (a);");
        connection.execute_batch(&statements).unwrap();
        drop(connection);
        let error = refused(&folder);
        assert!(error.to_string().contains("another program"), "{error}");
        // Neither if it is one of ours by its version alone.
        let connection = Connection::open(folder.path()).unwrap();
        connection.pragma_update(None, "user_version", VERSION).unwrap();
        drop(connection);
        assert!(refused(&folder).to_string().contains("another program"));
    }
}

#[test]
fn what_is_no_database_is_left_alone() {
    let long: Vec<u8> =
        (0..9000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    for bytes in [&b"x"[..], b"SQLite format 3\0", b"{\"not\": \"a database\"}", &long] {
        let folder = Folder::new();
        fs::write(folder.path(), bytes).unwrap();
        let error = refused(&folder);
        assert!(matches!(error, StoreError::Damaged { .. }), "{error:?}");
    }
}

#[test]
fn a_truncated_store_is_left_alone() {
    let folder = filled();
    let whole = fs::read(folder.path()).unwrap();
    for length in [50, 100, 2000, 4096, whole.len() / 2, whole.len() - 1] {
        fs::write(folder.path(), &whole[..length]).unwrap();
        let error = refused(&folder);
        assert!(matches!(error, StoreError::Damaged { .. }), "{length}: {error:?}");
    }
}

#[test]
fn an_overwritten_header_is_found() {
    let folder = filled();
    let whole = fs::read(folder.path()).unwrap();
    for (from, to) in [(0, 16), (16, 24), (60, 72), (0, 100), (100, 4096)] {
        let mut damaged = whole.clone();
        damaged[from..to].fill(0x5a);
        fs::write(folder.path(), &damaged).unwrap();
        let error = refused(&folder);
        assert!(matches!(error, StoreError::Damaged { .. }), "{from}..{to}: {error:?}");
    }
}

#[test]
fn garbage_in_the_middle_is_said_to_be_damage_when_it_is_read() {
    let folder = filled();
    let mut bytes = fs::read(folder.path()).unwrap();
    let (from, to) = (bytes.len() / 4096 / 2 * 4096, bytes.len());
    bytes[from..to].fill(0x5a);
    fs::write(folder.path(), &bytes).unwrap();
    let store = folder.open();
    let error = store.events().unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error:?}");
    assert_eq!(store.runs().unwrap().len(), 1, "what is whole is read");
    drop(store);
    assert!(fs::read(folder.path()).unwrap() == bytes, "it was left as it is");
}

#[test]
fn what_is_no_file_is_not_opened() {
    let folder = Folder::new();
    let opened = Store::open_existing(&folder.path());
    assert!(matches!(opened, Err(StoreError::CannotOpen { .. })), "it is not there");
    assert_eq!(folder.contents(), [], "and is not made");
    let opened = Store::open(&folder.0.path().join("nowhere/store"));
    assert!(matches!(opened, Err(StoreError::CannotOpen { .. })), "its folder is not there");
    let opened = Store::open(folder.0.path());
    assert!(matches!(opened, Err(StoreError::CannotOpen { .. })), "it is a folder");
    fs::write(folder.path(), "").unwrap();
    let opened = Store::open_existing(&folder.path());
    assert!(matches!(opened, Err(StoreError::Damaged { .. })), "it is empty");
    assert_eq!(folder.contents(), [("store".to_owned(), vec![])]);
    assert_eq!(folder.open().runs().unwrap(), [], "an empty file becomes a store");
}

#[cfg(unix)]
#[test]
fn a_store_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let store = folder.open();
    store.begin_run("someone", "me", 0, 60).unwrap();
    for name in ["store", "store-wal", "store-shm"] {
        let mode = fs::metadata(folder.0.path().join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

#[test]
fn a_full_store_says_so_and_keeps_what_was_acknowledged() {
    let folder = Folder::new();
    let store = folder.open();
    let run = store.begin_run("someone", "me", 0, 60).unwrap();
    let text = "x".repeat(3000);
    store.append(run, &executed("t", Outcome::Ok, &text), 0).unwrap();
    store.fill().unwrap();
    // What fits into pages that are there is taken.
    let mut acknowledged = 1;
    let error = loop {
        match store.append(run, &executed("t", Outcome::Ok, &text), acknowledged) {
            Ok(()) => acknowledged += 1,
            Err(error) => break error,
        }
        assert!(acknowledged < 1000, "it is never full");
    };
    assert!(matches!(error, StoreError::Full { what: "storing a step" }), "{error:?}");
    for reader in [&store, &folder.open()] {
        let found = steps(reader);
        assert_eq!(i64::try_from(found.len()).unwrap(), acknowledged);
        assert!(found.iter().all(|(_, _, step)| *step == executed("t", Outcome::Ok, &text)));
    }
    // There is room again for whoever opens it anew.
    drop(store);
    folder.open().append(run, &executed("t", Outcome::Ok, &text), 9).unwrap();
}

/// As root nothing is read-only; so what follows then is asked for by itself.
#[test]
fn a_file_that_may_only_be_read_is_read_and_left_as_it_is() {
    let folder = Folder::new();
    Connection::open(folder.path()).unwrap().execute_batch(VERSION_1).unwrap();
    let opening = |path| crate::host::store::opening::Opening {
        path,
        makes: false,
        patience: std::time::Duration::ZERO,
    };
    let path = folder.path();
    let older = opening(&path).open_to_read().unwrap_err();
    assert!(older.to_string().contains("of an earlier version and read-only"), "{older}");
    drop(folder.open());
    let (before, names) =
        (fs::read(&path).unwrap(), || fs::read_dir(path.parent().unwrap()).unwrap().count());
    let count = names();
    let connection = opening(&path).open_to_read().unwrap();
    let contacts: i64 =
        connection.query_row("SELECT count(*) FROM contact", [], |row| row.get(0)).unwrap();
    assert_eq!((contacts, names()), (1, count));
    assert!(connection.execute("DELETE FROM contact", []).is_err());
    assert_eq!(fs::read(&path).unwrap(), before);
}
