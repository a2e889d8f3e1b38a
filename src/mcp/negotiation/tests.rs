use proptest::prelude::*;
use serde_json::{Map, json};

use super::*;

fn path(text: &str) -> CapabilityPath {
    text.parse().unwrap()
}

fn policy() -> Policy {
    Policy {
        versions: vec!["2025-11-25".to_owned(), "2025-06-18".to_owned()],
        required: vec![path("tools")],
        optional: vec![path("resources"), path("resources.subscribe"), path("tools.listChanged")],
    }
}

fn initialize(version: &str, capabilities: Value) -> Value {
    json!({
        "protocolVersion": version,
        "capabilities": capabilities,
        "serverInfo": { "name": "fixture", "version": "0.0.0" },
    })
}

fn decide(result: &Value) -> Result<Agreement, Refusal> {
    negotiate(&policy(), Offer::Initialize(result))
}

fn enabled(agreement: &Agreement) -> Vec<String> {
    agreement.enabled.iter().map(ToString::to_string).collect()
}

#[test]
fn a_version_and_a_capability_that_the_policy_asks_for_are_accepted() {
    let agreement = decide(&initialize("2025-06-18", json!({ "tools": {} }))).unwrap();
    assert_eq!(agreement, Agreement { version: "2025-06-18".to_owned(), enabled: Vec::new() });
}

#[test]
fn versions_are_equal_or_not() {
    for version in ["2099-01-01", "2025-11-24", "2025-11-26", "2025-11-25 ", "20251125", ""] {
        let refusal = decide(&initialize(version, json!({ "tools": {} }))).unwrap_err();
        let offered = vec![version.to_owned()];
        assert_eq!(refusal, Refusal::UnsupportedProtocolVersion { offered });
        assert_eq!(refusal.category(), "unsupported_protocol_version");
    }
}

#[test]
fn what_is_missing_is_named() {
    let refusal = decide(&initialize("2025-11-25", json!({ "resources": {} }))).unwrap_err();
    assert_eq!(refusal, Refusal::MissingRequiredCapabilities { missing: vec![path("tools")] });
    assert_eq!(refusal.category(), "missing_required_capabilities");
    let every = Policy { required: vec![path("a"), path("b.c"), path("tools")], ..policy() };
    let said = initialize("2025-11-25", json!({ "tools": {}, "b": {} }));
    let missing = vec![path("a"), path("b.c")];
    assert_eq!(
        negotiate(&every, Offer::Initialize(&said)),
        Err(Refusal::MissingRequiredCapabilities { missing })
    );
}

#[test]
fn each_part_of_a_capability_is_a_claim_of_its_own() {
    let cases = [
        (json!({ "tools": {}, "resources": {} }), vec!["resources"]),
        (json!({ "tools": {}, "resources": { "subscribe": false } }), vec!["resources"]),
        (
            json!({ "tools": { "listChanged": true }, "resources": { "subscribe": true } }),
            vec!["resources", "resources.subscribe", "tools.listChanged"],
        ),
        (json!({ "tools": {}, "resources": { "subscribe": {} } }), {
            vec!["resources", "resources.subscribe"]
        }),
        (json!({ "tools": {}, "resources.subscribe": true }), vec![]),
        (json!({ "tools": {}, "resources": null }), vec![]),
        (json!({ "tools": {}, "resources": false }), vec![]),
        (json!({ "tools": {}, "resources": [] }), vec![]),
        (json!({ "tools": {}, "resources": "subscribe" }), vec![]),
        (json!({ "tools": {}, "resources": { "subscribe": 1 } }), vec!["resources"]),
        (json!({ "tools": true }), vec![]),
    ];
    for (declared, expected) in cases {
        let agreement = decide(&initialize("2025-11-25", declared.clone())).unwrap();
        assert_eq!(enabled(&agreement), expected, "{declared}");
    }
}

#[test]
fn fields_that_nobody_knows_pass() {
    let mut said = initialize(
        "2025-11-25",
        json!({ "tools": {}, "com.example/future": { "mode": "fixture" }, "experimental": 7 }),
    );
    said["serverInfo"]["extraField"] = true.into();
    said["extraField"] = json!([null]);
    assert!(decide(&said).is_ok());
}

#[test]
fn each_wrong_shape_is_refused_before_the_policy_is_asked() {
    // Neither the version nor the capabilities would do.
    let good = initialize("1999-01-01", json!({}));
    let cases = [
        ("protocolVersion", json!(20251125), "string `protocolVersion`"),
        ("protocolVersion", Value::Null, "string `protocolVersion`"),
        ("protocolVersion", json!(["2025-11-25"]), "string `protocolVersion`"),
        ("capabilities", json!(["tools"]), "object `capabilities`"),
        ("capabilities", Value::Null, "object `capabilities`"),
        ("capabilities", json!("tools"), "object `capabilities`"),
        ("serverInfo", Value::Null, "string `serverInfo.name`"),
        ("serverInfo", json!("fixture"), "string `serverInfo.name`"),
        ("serverInfo", json!({ "version": "1" }), "string `serverInfo.name`"),
        ("serverInfo", json!({ "name": "fixture" }), "string `serverInfo.version`"),
        ("serverInfo", json!({ "name": "fixture", "version": 1 }), "string `serverInfo.version`"),
    ];
    for (member, value, lacks) in cases {
        let mut said = good.clone();
        said[member] = value;
        assert_eq!(decide(&said), Err(Refusal::InvalidResponse { lacks }), "{said}");
        said.as_object_mut().unwrap().shift_remove(member);
        assert!(matches!(decide(&said), Err(Refusal::InvalidResponse { .. })), "{said}");
    }
    for nothing in [json!(null), json!([]), json!("2025-11-25"), json!(7), json!({})] {
        assert_eq!(decide(&nothing).unwrap_err().category(), "invalid_response");
    }
}

#[test]
fn discovery_takes_the_first_version_of_the_policy_that_is_offered() {
    let said = json!({
        "supportedVersions": ["2025-06-18", "2025-11-25", "1999-01-01"],
        "capabilities": { "tools": {} },
    });
    let agreed = |policy: &Policy| negotiate(policy, Offer::Discover(&said));
    assert_eq!(agreed(&policy()).unwrap().version, "2025-11-25");
    let mut turned = policy();
    turned.versions.reverse();
    assert_eq!(agreed(&turned).unwrap().version, "2025-06-18");
    let none = Policy { versions: vec!["2026-07-28".to_owned()], ..policy() };
    assert!(matches!(agreed(&none), Err(Refusal::UnsupportedProtocolVersion { offered })
        if offered.len() == 3));
    let mut wrong = said.clone();
    for versions in [json!("2025-11-25"), json!(null), json!([1]), json!({})] {
        wrong["supportedVersions"] = versions;
        let lacks = "array of strings `supportedVersions`";
        assert_eq!(
            negotiate(&policy(), Offer::Discover(&wrong)),
            Err(Refusal::InvalidResponse { lacks })
        );
    }
}

#[test]
fn a_refused_version_decides_the_version_alone() {
    let data = json!({ "supported": ["2025-06-18"], "requested": "2025-11-25" });
    let agreement = negotiate(&policy(), Offer::UnsupportedVersion(&data)).unwrap();
    assert_eq!(agreement, Agreement { version: "2025-06-18".to_owned(), enabled: Vec::new() });
    let nothing = negotiate(&policy(), Offer::UnsupportedVersion(&Value::Null)).unwrap_err();
    assert_eq!(nothing.category(), "invalid_response");
}

#[test]
fn a_name_with_dots_in_it_is_written_as_an_array() {
    let names = vec!["extensions".to_owned(), "io.modelcontextprotocol/tasks".to_owned()];
    let tasks = CapabilityPath::new(names).unwrap();
    assert_eq!(tasks.to_string(), r#"["extensions","io.modelcontextprotocol/tasks"]"#);
    assert!(tasks.is_on(&json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } })));
    let apart = path("extensions.io.modelcontextprotocol/tasks");
    assert!(!apart.is_on(&json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } })));
    let read = |text: &str| serde_json::from_str::<CapabilityPath>(text);
    assert_eq!(read(r#"["extensions","io.modelcontextprotocol/tasks"]"#).unwrap(), tasks);
    assert_eq!(read(r#""resources.subscribe""#).unwrap(), path("resources.subscribe"));
    for wrong in [r#""""#, r#"".tools""#, r#""tools.""#, r#""a..b""#, "[]", r#"[""]"#, "7", "{}"] {
        assert!(read(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_capability_is_taken_out_with_all_that_lies_within_it() {
    let mut declared = json!({ "tools": {}, "resources": { "subscribe": true, "x": {} } });
    path("resources.subscribe").remove_from(&mut declared);
    path("prompts.listChanged").remove_from(&mut declared);
    path("tools").remove_from(&mut declared);
    assert_eq!(declared, json!({ "resources": { "x": {} } }));
    assert!(path("resources").contains(&path("resources.subscribe")));
    assert!(!path("resources.subscribe").contains(&path("resources")));
    assert!(!path("res").contains(&path("resources")));
}

const VERSIONS: [&str; 4] = ["2025-03-26", "2025-11-25", "2026-07-28", "2099-01-01"];
const NAMES: [&str; 5] = ["tools", "resources", "subscribe", "listChanged", "a.b"];

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        prop::sample::select(&VERSIONS[..]).prop_map(Value::from),
        ".*".prop_map(Value::from),
    ];
    let name = prop_oneof![prop::sample::select(&NAMES[..]).prop_map(str::to_owned), ".{0,3}"];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((name.clone(), inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn any_path() -> impl Strategy<Value = CapabilityPath> {
    let name = prop::sample::select(&NAMES[..]).prop_map(str::to_owned);
    prop::collection::vec(name, 1..3).prop_map(|names| CapabilityPath::new(names).unwrap())
}

fn any_policy() -> impl Strategy<Value = Policy> {
    let version = prop::sample::select(&VERSIONS[..]).prop_map(str::to_owned);
    let paths = || prop::collection::vec(any_path(), 0..3);
    (prop::collection::vec(version, 0..4), paths(), paths())
        .prop_map(|(versions, required, optional)| Policy { versions, required, optional })
}

/// What a server says that has the right shape at least in part.
fn any_result() -> impl Strategy<Value = Value> {
    let capabilities = prop::collection::vec(
        (prop::sample::select(&NAMES[..]).prop_map(str::to_owned), any_json()),
        0..5,
    )
    .prop_map(|members| Value::Object(members.into_iter().collect()));
    let versions = prop::collection::vec(prop::sample::select(&VERSIONS[..]), 0..4);
    (versions, prop_oneof![3 => capabilities, 1 => any_json()], any_json()).prop_map(
        |(versions, capabilities, extra)| {
            json!({
                "protocolVersion": versions.first().copied().unwrap_or("2025-11-25"),
                "supportedVersions": versions,
                "supported": versions,
                "capabilities": capabilities,
                "serverInfo": { "name": "fixture", "version": "0", "extra": extra },
            })
        },
    )
}

fn offers(said: &Value) -> [Offer<'_>; 3] {
    [Offer::Initialize(said), Offer::Discover(said), Offer::UnsupportedVersion(said)]
}

/// The members of every object in the opposite order.
fn turned(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members.iter().rev();
            Value::Object(members.map(|(name, inner)| (name.clone(), turned(inner))).collect())
        }
        Value::Array(items) => items.iter().map(turned).collect(),
        value => value.clone(),
    }
}

/// Members that nobody knows, in every place where there may be some.
fn extended(said: &Value, extra: &Value) -> Value {
    let mut said = said.clone();
    for place in ["", "/capabilities", "/serverInfo"] {
        if let Some(Value::Object(members)) = said.pointer_mut(place) {
            members.insert("com.example/unknown".to_owned(), extra.clone());
        }
    }
    said
}

proptest! {
    /// Whatever comes, there is a decision, and what it says is true.
    #[test]
    fn it_decides_over_anything(policy in any_policy(), said in any_json()) {
        for offer in offers(&said) {
            let _ = negotiate(&policy, offer);
        }
    }

    #[test]
    fn what_it_says_is_so(policy in any_policy(), said in any_result()) {
        for offer in offers(&said) {
            match negotiate(&policy, offer) {
                Ok(agreement) => {
                    prop_assert!(policy.versions.contains(&agreement.version));
                    let declared = &said["capabilities"];
                    if !matches!(offer, Offer::UnsupportedVersion(_)) {
                        prop_assert!(policy.required.iter().all(|path| path.is_on(declared)));
                        let on: Vec<_> = policy.optional.iter()
                            .filter(|path| path.is_on(declared)).cloned().collect();
                        prop_assert_eq!(agreement.enabled, on);
                    }
                }
                Err(Refusal::UnsupportedProtocolVersion { offered }) => {
                    prop_assert!(offered.iter().all(|version| !policy.versions.contains(version)));
                }
                Err(Refusal::MissingRequiredCapabilities { missing }) => {
                    prop_assert!(!missing.is_empty());
                    let declared = &said["capabilities"];
                    prop_assert!(missing.iter().all(|path| !path.is_on(declared)));
                }
                Err(Refusal::InvalidResponse { .. }) => {
                    prop_assert!(!said["capabilities"].is_object());
                }
            }
        }
    }

    /// Who accepts more versions, requires less and wants more accepts all that
    /// was accepted before, with all that was on before.
    #[test]
    fn a_wider_policy_refuses_nothing_more(
        policy in any_policy(),
        said in any_result(),
        version in prop::sample::select(&VERSIONS[..]),
        wish in any_path(),
    ) {
        let mut wider = policy.clone();
        wider.versions.push(version.to_owned());
        wider.required.pop();
        wider.optional.push(wish);
        for offer in offers(&said) {
            if let Ok(agreement) = negotiate(&policy, offer) {
                let wide = negotiate(&wider, offer);
                prop_assert!(wide.is_ok(), "{:?}", wide);
                let wide = wide.unwrap();
                prop_assert_eq!(wide.version, agreement.version);
                prop_assert!(wide.enabled.starts_with(&agreement.enabled));
            }
        }
    }

    #[test]
    fn neither_order_nor_what_nobody_knows_matters(
        policy in any_policy(),
        said in any_result(),
        extra in any_json(),
    ) {
        let (turned, extended) = (turned(&said), extended(&said, &extra));
        for (index, offer) in offers(&said).into_iter().enumerate() {
            let decided = negotiate(&policy, offer);
            prop_assert_eq!(&negotiate(&policy, offers(&turned)[index]), &decided);
            prop_assert_eq!(&negotiate(&policy, offers(&extended)[index]), &decided);
        }
    }
}

#[test]
fn the_generators_reach_every_decision() {
    use proptest::strategy::ValueTree as _;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let mut reached = Map::new();
    for _ in 0..500 {
        let policy = any_policy().new_tree(&mut runner).unwrap().current();
        let said = any_result().new_tree(&mut runner).unwrap().current();
        for offer in offers(&said) {
            let decided = negotiate(&policy, offer).map(|_| "accepted");
            let name = decided.unwrap_or_else(|refusal| refusal.category());
            reached.insert(name.to_owned(), true.into());
        }
    }
    assert_eq!(reached.len(), 4, "{reached:?}");
}
