//! The budget, its legs, and cancellation.

use super::*;

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test(start_paused = true)]
async fn a_leg_that_uses_its_own_bound_is_a_timeout_and_is_cancelled() {
    let server = FarSide::serving("2025-11-25", |_| Act::Silence);
    let error = failure(&server.client(Revision::V2025_11_25), add()).await;
    assert_eq!(error.kind, ErrorKind::Timeout);
    assert!(!error.is_cancellation());
    let seen = server.seen();
    assert_eq!(
        seen[3].text,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#
    );
    assert_eq!(seen[3].at, 15 * SECOND);
    assert_eq!(seen.len(), 4);
}

#[tokio::test(start_paused = true)]
async fn an_open_body_counts_as_part_of_its_leg() {
    let server = FarSide::serving("2025-11-25", |_| open_events("data: {}"));
    let error = failure(&server.client(Revision::V2025_11_25), add()).await;
    assert_eq!(error.kind, ErrorKind::Timeout);
    assert_eq!(server.seen()[3].at, 15 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn the_budget_is_spent_across_the_legs_the_handshake_included() {
    let server = FarSide::new(|seen| match seen.name().as_str() {
        "initialize" => Act::Late(8 * SECOND, answer(seen, introduction("2025-11-25"))),
        "tools/call" => Act::Silence,
        _ => status(202),
    });
    let error = failure(&server.client(Revision::V2025_11_25), add()).await;
    assert_eq!(error.kind, ErrorKind::BudgetExhausted);
    assert!(error.message.contains("budget"));
    assert_eq!(server.names().last().unwrap(), "notifications/cancelled");
    assert_eq!(server.seen()[3].at, 20 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn a_spent_budget_starts_no_further_leg() {
    let server = FarSide::serving("2025-11-25", |seen| {
        let page = json!({ "tools": [], "nextCursor": "x" });
        Act::Late(10 * SECOND, answer(seen, page))
    });
    let error = failure(&server.client(Revision::V2025_11_25), Operation::ListTools).await;
    assert_eq!(error.kind, ErrorKind::BudgetExhausted);
    // Two answered pages and nothing in flight: there is nothing to cancel.
    assert_eq!(server.names()[2..], ["tools/list", "tools/list"]);
}

#[tokio::test(start_paused = true)]
async fn initialize_is_never_cancelled() {
    let server = FarSide::new(|_| Act::Silence);
    let client = server.client(Revision::V2025_11_25);
    assert_eq!(client.connect().await.unwrap_err().kind, ErrorKind::Timeout);
    let token = Cancellation::new();
    let (outcome, ()) = tokio::join!(client.perform(add(), &token), async {
        tokio::time::sleep(SECOND).await;
        token.cancel();
    });
    assert!(outcome.unwrap_err().is_cancellation());
    assert_eq!(server.names(), ["initialize", "initialize"]);
}

/// Tells when it is dropped.
struct Dropped(Arc<Mutex<bool>>);

impl Drop for Dropped {
    fn drop(&mut self) {
        *self.0.lock().unwrap() = true;
    }
}

#[tokio::test(start_paused = true)]
async fn cancelling_tells_the_server_and_then_drops_the_response() {
    let dropped = Arc::new(Mutex::new(false));
    let flag = dropped.clone();
    let at_notice = Arc::new(Mutex::new(None));
    let noted = at_notice.clone();
    let server = FarSide::new(move |seen| {
        if seen.name() == "notifications/cancelled" {
            *noted.lock().unwrap() = Some(*flag.lock().unwrap());
        }
        usual(seen, "2025-11-25", None).unwrap_or_else(|| {
            let open = Dropped(flag.clone());
            let body = stream::once(async move {
                let _open = open;
                std::future::pending().await
            });
            Act::Respond(response(200, "text/event-stream", Body::stream(body)))
        })
    });
    let client = server.client(Revision::V2025_11_25);
    let token = Cancellation::new();
    let (outcome, ()) = tokio::join!(client.perform(add(), &token), async {
        tokio::time::sleep(5 * SECOND).await;
        token.cancel();
    });
    let error = outcome.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Cancelled);
    assert!(error.is_cancellation());
    assert_eq!(server.seen()[3].body["params"], json!({ "requestId": 2 }));
    assert_eq!(server.seen()[3].at, 5 * SECOND);
    assert_eq!(*at_notice.lock().unwrap(), Some(false));
    assert!(*dropped.lock().unwrap());
}

#[tokio::test(start_paused = true)]
async fn what_was_cancelled_before_it_began_sends_nothing() {
    let server = FarSide::serving("2025-11-25", |seen| result(seen, json!({})));
    let client = server.client(Revision::V2025_11_25);
    client.connect().await.unwrap();
    let token = Cancellation::new();
    token.cancel();
    assert!(token.clone().is_cancelled());
    assert!(client.perform(add(), &token).await.unwrap_err().is_cancellation());
    assert_eq!(server.names(), ["initialize", "notifications/initialized"]);
}

#[tokio::test(start_paused = true)]
async fn a_notice_has_a_bound_of_its_own() {
    for (scale, bound) in [(1, 250), (50, 100)] {
        let server = FarSide::new(|seen| match seen.name().as_str() {
            "notifications/cancelled" | "tools/call" => Act::Silence,
            _ => usual(seen, "2025-11-25", None).unwrap(),
        });
        let mut options = options(Revision::V2025_11_25);
        options.scale = scale;
        let client = server.client_with(options);
        let error = failure(&client, add()).await;
        assert_eq!(error.kind, ErrorKind::Timeout);
        let leg = 15 * SECOND / scale;
        assert_eq!(server.seen()[3].at, leg);
        assert_eq!(server.start.elapsed(), leg + Duration::from_millis(bound));
    }
}

#[tokio::test(start_paused = true)]
async fn one_waits_for_anothers_handshake_within_its_own_budget() {
    let server = FarSide::new(|_| Act::Silence);
    let client = server.client(Revision::V2025_11_25);
    let (first, second) = tokio::join!(perform(&client, add()), perform(&client, add()));
    assert_eq!(first.unwrap_err().kind, ErrorKind::Timeout);
    // The second got its turn with five seconds left.
    assert_eq!(second.unwrap_err().kind, ErrorKind::BudgetExhausted);
    assert_eq!(server.start.elapsed(), 20 * SECOND);
    assert_eq!(server.names(), ["initialize", "initialize"]);
}

#[tokio::test(start_paused = true)]
async fn an_answered_stream_that_stays_open_holds_nothing_up_for_long() {
    let server = FarSide::serving("2025-11-25", |seen| {
        let id = &seen.body["id"];
        open_events(format!("data: {{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}\n\n"))
    });
    perform(&server.client(Revision::V2025_11_25), add()).await.unwrap();
    assert_eq!(server.start.elapsed(), Duration::from_millis(250));
    assert_eq!(server.names().len(), 3);
}
