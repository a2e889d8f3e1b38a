//! Calls that go on as tasks.

use super::stateless::{REVISION, serving};
use super::*;

const SECOND: Duration = Duration::from_secs(1);

fn state(status: &str) -> Value {
    json!({
        "resultType": "complete", "taskId": "t", "status": status, "ttlMs": null,
        "createdAt": "2026-07-28T10:00:00Z", "lastUpdatedAt": "2026-07-28T10:00:01Z",
        "pollIntervalMs": 1000,
    })
}

fn completed() -> Value {
    let mut task = state("completed");
    task["result"] = json!({ "content": [] });
    task
}

/// A server whose call becomes a task; `asked` answers `tasks/get`, and what else
/// is asked of the task, and is told how many questions came before.
fn serving_task(asked: impl Fn(&Seen, u32) -> Act + Send + Sync + 'static) -> Arc<FarSide> {
    let questions = Mutex::new(0);
    serving(move |seen| match seen.name().as_str() {
        "tools/call" => {
            let mut task = state("working");
            task["resultType"] = "task".into();
            result(seen, task)
        }
        "tasks/get" => {
            let mut questions = questions.lock().unwrap();
            *questions += 1;
            asked(seen, *questions - 1)
        }
        "tasks/cancel" => result(seen, json!({ "resultType": "complete" })),
        _ => asked(seen, 0),
    })
}

async fn call(server: &Arc<FarSide>) -> Result<Value, ClientError> {
    let client = server.client(REVISION);
    client.take_tasks().unwrap();
    perform(&client, add()).await
}

#[tokio::test(start_paused = true)]
async fn a_failure_that_passes_does_not_end_the_polling() {
    let server = serving_task(|seen, before| match before {
        0 => status(503),
        1 => status(429),
        2 => Act::Fail(TransportError::Closed),
        3 => result(seen, state("working")),
        // A failure after a success begins a new row.
        4..9 => status(503),
        _ => result(seen, completed()),
    });
    assert_eq!(call(&server).await.unwrap(), json!({ "content": [] }));
    let seen = server.seen();
    let times: Vec<_> = seen[2..].iter().map(|seen| seen.at.as_secs()).collect();
    assert_eq!(times, (1..=10).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn a_task_that_is_given_up_is_cancelled() {
    let mut asks = state("input_required");
    asks["inputRequests"] = json!({ "where": { "method": "roots/list" } });
    let mut untyped = state("lost");
    untyped["status"] = json!(7);
    type Asked = Box<dyn Fn(&Seen) -> Act + Send + Sync>;
    let cases: [(Asked, ErrorKind, usize); 4] = [
        (Box::new(|_| status(503)), ErrorKind::HttpStatus, 6),
        (Box::new(|_| status(500)), ErrorKind::HttpStatus, 1),
        (Box::new(move |seen| result(seen, asks.clone())), ErrorKind::InputRefused, 1),
        (Box::new(move |seen| result(seen, untyped.clone())), ErrorKind::InvalidResult, 1),
    ];
    for (asked, kind, questions) in cases {
        let server = serving_task(move |seen, _| asked(seen));
        assert_eq!(call(&server).await.unwrap_err().kind, kind);
        let names = server.names();
        assert_eq!(names.iter().filter(|name| *name == "tasks/get").count(), questions);
        assert_eq!(names.iter().filter(|name| *name == "tasks/cancel").count(), 1);
        assert_eq!(names.last().unwrap(), "tasks/cancel");
    }
}

#[tokio::test(start_paused = true)]
async fn a_task_that_came_to_an_end_is_not_cancelled() {
    for (status, kind) in [("failed", ErrorKind::JsonRpc), ("cancelled", ErrorKind::TaskCancelled)]
    {
        let server = serving_task(move |seen, _| {
            let mut task = state(status);
            task["error"] = json!({ "code": -32603, "message": "no" });
            result(seen, task)
        });
        assert_eq!(call(&server).await.unwrap_err().kind, kind);
        assert_eq!(server.names().last().unwrap(), "tasks/get");
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_said_of_a_task_is_complete_or_of_its_own_type() {
    for (of, holds) in [("complete", true), ("task", true), ("input_required", false)] {
        let server = serving_task(move |seen, _| {
            let mut task = completed();
            task["resultType"] = of.into();
            task["inputRequests"] = json!({});
            result(seen, task)
        });
        let outcome = call(&server).await.map_err(|error| error.kind);
        let expected =
            if holds { Ok(json!({ "content": [] })) } else { Err(ErrorKind::InvalidResult) };
        assert_eq!(outcome, expected, "{of}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_interval_of_an_age_is_cut_short() {
    let server = serving_task(|seen, before| {
        let mut task = if before == 0 { state("working") } else { completed() };
        task["pollIntervalMs"] = json!(1_000_000_000_000_000_u64);
        result(seen, task)
    });
    call(&server).await.unwrap();
    let times: Vec<_> = server.seen()[2..].iter().map(|seen| seen.at).collect();
    assert_eq!(times, [SECOND, 301 * SECOND]);
}
