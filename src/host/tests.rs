//! Tests of the host over the double in memory, on a paused clock: what no
//! script can bring about.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use http::Uri;
use tokio::time::Instant;

use super::run::LEASE;
use super::store::Place;
use super::*;
use crate::mcp::Revision;
use crate::mcp::client::{Options, StreamableHttp};
use crate::mcp::negotiation::Policy;
use crate::mcp::server::{self, Action, Behaviour, Framing, ScriptedServer};
use crate::profile::{DataClass, Zone};
use crate::wire::Double;

const TOOL: &str = "mcp_s_add";

/// A host whose server has one tool, imported and enabled.
struct Stage {
    host: Host,
    caller: Caller,
    /// How many calls reached the server.
    calls: Arc<AtomicUsize>,
}

/// What the server does with a call. It gets the host: what happens between a
/// call and its answer happens here.
type Answer = fn(&Host) -> Action;

impl Stage {
    async fn new(store: Store, answer: Answer) -> Stage {
        let server = Arc::new(ScriptedServer::new(Behaviour {
            revision: Revision::V2025_11_25,
            session: None,
            framing: Framing::Json,
            declares: Vec::new(),
            lacks: Vec::new(),
            path: "/mcp".to_owned(),
        }));
        let double = Arc::new(Double::new(1));
        double.add("server.test", server.clone());
        let options = Options {
            revision: Revision::V2025_11_25,
            policy: Policy::every_version(),
            client_name: "host".to_owned(),
            client_version: "1".to_owned(),
            scale: 1,
        };
        let endpoint = Uri::from_static("http://server.test/mcp").into();
        let transport = StreamableHttp::new(double, endpoint, 1);
        let host = Host::new(Parts {
            client: Client::new(Arc::new(transport), options),
            operator: Operator {
                identifier: "s".to_owned(),
                data_class: DataClass::PublicContent,
                requires_approval: false,
                zone: Zone::Local,
            },
            store,
            clock: Clock::runtime(1),
            lease_owner: "this".to_owned(),
        });
        let calls = Arc::new(AtomicUsize::new(0));
        let (counted, at_server) = (calls.clone(), host.clone());
        let definition = json!({ "name": "add", "inputSchema": { "type": "object" } });
        server.tool(server::Tool {
            definition: definition.as_object().unwrap().clone(),
            handler: Arc::new(move |_| {
                counted.fetch_add(1, Ordering::Relaxed);
                answer(&at_server)
            }),
        });
        host.import().await.unwrap();
        assert!(host.store().enable(TOOL, true).unwrap());
        let caller = Caller {
            name: "someone".to_owned(),
            administrator: true,
            model: Model { zone: Some(Zone::Local), fallbacks: Vec::new() },
            ..Caller::default()
        };
        Stage { host, caller, calls }
    }

    async fn in_memory(answer: Answer) -> Stage {
        Stage::new(Store::in_memory().unwrap(), answer).await
    }

    fn begin_run(&self) -> Run {
        self.host.begin_run(&self.caller).unwrap()
    }

    async fn call(&self, run: Option<&Run>) -> Result<ToolResult, CallRefusal> {
        let call = Call { tool: TOOL, arguments: Some(json!({})), run, approved: false };
        self.host.call(call, &self.caller).await
    }

    fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }

    /// The steps that were stored: `declared`, or an outcome.
    fn steps(&self) -> Vec<&'static str> {
        let events = self.host.store().events().unwrap().into_iter();
        let word = |step| match step {
            Step::Declared { .. } => "declared",
            Step::Tool { outcome, .. } => outcome.as_str(),
        };
        events.map(|event| word(event.step.unwrap())).collect()
    }

    fn status(&self) -> RunStatus {
        self.host.store().runs().unwrap().last().unwrap().status.clone().unwrap()
    }

    /// The operations of the contacts.
    fn contacts(&self) -> Vec<String> {
        let contacts = self.host.store().contacts().unwrap().into_iter();
        contacts.map(|contact| contact.operation).collect()
    }
}

fn answer(_: &Host) -> Action {
    Action::Value(json!({ "content": [{ "type": "text", "text": "42" }] }))
}

#[tokio::test(start_paused = true)]
async fn a_run_that_another_took_over_is_refused() {
    let stage = Stage::in_memory(answer).await;
    let run = stage.begin_run();
    let taken = json!({
        "id": run.id, "caller": "someone", "status": "running", "started_at": 0,
        "lease_owner": "another", "lease_until": i64::MAX,
    });
    stage.host.store().write_row(Place::Run, taken.as_object().unwrap(), true).unwrap();
    let called = stage.call(Some(&run)).await;
    assert!(matches!(called, Err(CallRefusal::NoRun { .. })), "{called:?}");
    assert_eq!((stage.calls(), stage.steps()), (0, vec![]));
    assert_eq!(stage.status(), RunStatus::Running, "it is not ours to end");
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_ran_out_is_refused_and_each_call_prolongs_it() {
    let stage = Stage::in_memory(answer).await;
    let run = stage.begin_run();
    for _ in 0..3 {
        tokio::time::advance(LEASE - Duration::from_secs(1)).await;
        assert_eq!(stage.call(Some(&run)).await.unwrap().outcome(), Outcome::Ok);
    }
    tokio::time::advance(LEASE + Duration::from_secs(1)).await;
    let called = stage.call(Some(&run)).await;
    assert!(matches!(called, Err(CallRefusal::NoRun { .. })), "{called:?}");
    assert_eq!(stage.calls(), 3);
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_declared_is_not_sent() {
    let stage = Stage::in_memory(answer).await;
    let run = stage.begin_run();
    stage.host.store().refuse_rows(Place::Event).unwrap();
    let called = stage.call(Some(&run)).await;
    assert!(matches!(called, Err(CallRefusal::NotRecorded(_))), "{called:?}");
    assert_eq!((stage.calls(), stage.steps()), (0, vec![]));
    assert_eq!(stage.status(), RunStatus::Failed);
    stage.host.store().take_rows(Place::Event).unwrap();
    let called = stage.call(Some(&run)).await;
    assert!(matches!(called, Err(CallRefusal::NoRun { .. })), "the run has failed: {called:?}");
}

#[tokio::test(start_paused = true)]
async fn a_run_fails_if_what_a_call_came_to_cannot_be_stored() {
    let stage = Stage::in_memory(|host| {
        host.store().refuse_rows(Place::Event).unwrap();
        answer(host)
    })
    .await;
    let run = stage.begin_run();
    let called = stage.call(Some(&run)).await;
    assert!(matches!(called, Err(CallRefusal::ResultNotRecorded(_))), "{called:?}");
    assert_eq!((stage.calls(), stage.steps()), (1, vec!["declared"]), "that it was sent is known");
    assert_eq!(stage.status(), RunStatus::Failed);
    stage.host.complete_run(&run).unwrap();
    assert_eq!(stage.status(), RunStatus::Failed, "it has ended");
}

#[tokio::test(start_paused = true)]
async fn a_store_that_fills_up_during_a_call_fails_the_run_and_keeps_the_rest() {
    let stage = Stage::in_memory(|host| {
        host.store().fill().unwrap();
        Action::Value(json!({ "content": [{ "type": "text", "text": "x".repeat(40_000) }] }))
    })
    .await;
    let run = stage.begin_run();
    let called = stage.call(Some(&run)).await;
    assert!(
        matches!(called, Err(CallRefusal::ResultNotRecorded(StoreError::Full { .. }))),
        "{called:?}"
    );
    assert_eq!(stage.steps(), ["declared"]);
    assert_eq!(stage.status(), RunStatus::Failed, "no page more is needed to say so");
}

#[tokio::test(start_paused = true)]
async fn a_recorder_of_contacts_that_is_broken_fails_no_call() {
    let stage = Stage::in_memory(answer).await;
    stage.host.store().refuse_rows(Place::Contact).unwrap();
    let run = stage.begin_run();
    assert_eq!(stage.call(Some(&run)).await.unwrap().outcome(), Outcome::Ok);
    assert!(stage.host.ping().await.is_ok());
    assert_eq!(stage.contacts(), ["tools/list"]);
}

#[tokio::test(start_paused = true)]
async fn a_denial_is_a_denial_even_if_it_cannot_be_written_down() {
    let stage = Stage::in_memory(answer).await;
    stage.host.store().refuse_rows(Place::Denial).unwrap();
    let run = stage.begin_run();
    let call = Call { tool: "mcp_s_other", arguments: None, run: Some(&run), approved: true };
    let called = stage.host.call(call, &stage.caller).await;
    assert!(
        matches!(called, Err(CallRefusal::Denied { denial: Denial::NotRegistered, .. })),
        "{called:?}"
    );
    assert_eq!(stage.calls(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_call_is_stopped_within_250_ms_though_the_server_answers_nothing_at_all() {
    let stage = Stage::in_memory(|_| Action::Silence).await;
    let run = stage.begin_run();
    let cancel = async {
        tokio::time::sleep(Duration::from_secs(3)).await;
        stage.host.cancel_run(&run).unwrap();
        Instant::now()
    };
    let (called, cancelled_at) = tokio::join!(stage.call(Some(&run)), cancel);
    assert!(cancelled_at.elapsed() <= Duration::from_millis(250), "{:?}", cancelled_at.elapsed());
    assert_eq!(called.unwrap().outcome(), Outcome::Cancelled);
    assert_eq!((stage.calls(), stage.steps()), (1, vec!["declared", "cancelled"]));
    assert_eq!(stage.status(), RunStatus::Cancelled);
    assert_eq!(stage.contacts(), ["tools/list"], "a cancelled call is no contact");
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_run_is_stopped_even_if_that_cannot_be_stored() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let stage = Stage::new(Store::open(&path).unwrap(), |_| Action::Silence).await;
    let run = stage.begin_run();
    let cancel = async {
        tokio::time::sleep(Duration::from_secs(3)).await;
        stage.host.store().refuse_rows(Place::Event).unwrap();
        stage.host.cancel_run(&run).unwrap();
    };
    let (called, ()) = tokio::join!(stage.call(Some(&run)), cancel);
    assert!(matches!(called, Err(CallRefusal::ResultNotRecorded(_))), "{called:?}");
    assert!(run.is_cancelled());
    let other = Store::open(&path).unwrap();
    assert_eq!(other.runs().unwrap()[0].status, Ok(RunStatus::Cancelled));
}

#[tokio::test(start_paused = true)]
async fn two_hosts_with_one_store_keep_their_tools_and_runs_apart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let one = Stage::new(Store::open(&path).unwrap(), answer).await;
    let other = Stage::new(Store::open(&path).unwrap(), answer).await;
    let (first, second) = (one.begin_run(), other.begin_run());
    assert_ne!(first.id, second.id);
    one.call(Some(&first)).await.unwrap();
    other.call(Some(&second)).await.unwrap();
    one.host.complete_run(&first).unwrap();
    let runs = other.host.store().runs().unwrap();
    let statuses: Vec<_> = runs.into_iter().map(|run| run.status).collect();
    assert_eq!(statuses, [Ok(RunStatus::Completed), Ok(RunStatus::Running)]);
    assert_eq!(other.steps(), ["declared", "ok", "declared", "ok"]);
}

#[tokio::test(start_paused = true)]
async fn a_ping_says_what_the_server_is_and_writes_no_catalogue() {
    let stage = Stage::in_memory(answer).await;
    let before = stage.host.store().tools().unwrap();
    let ping = stage.host.ping().await.unwrap();
    assert_eq!(ping.versions, ["2025-11-25"]);
    assert_eq!(ping.server, json!({ "name": "double", "version": "1.0.0" }));
    assert_eq!(ping.capabilities, json!({ "tools": {} }));
    assert_eq!(stage.host.store().tools().unwrap(), before);
    assert_eq!(stage.contacts(), ["tools/list", "ping"]);
    stage.host.close().await.unwrap();
    assert!(stage.host.ping().await.is_err());
    assert_eq!(stage.contacts(), ["tools/list", "ping"], "a failure is not stored");
}
