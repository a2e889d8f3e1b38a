use super::*;
use crate::host::tool::Origin;

fn tool(origin: Origin, data_class: DataClass) -> Tool {
    let schema = serde_json::Map::new();
    Tool {
        name: "mcp_s_t".to_owned(),
        origin,
        description: None,
        schema,
        data_class,
        requires_approval: false,
        enabled: true,
        changed: Changes::default(),
    }
}

fn remote(data_class: DataClass) -> Tool {
    let origin = Origin::Remote { server: "s".to_owned(), remote_name: "t".to_owned() };
    tool(origin, data_class)
}

fn local(data_class: DataClass) -> Tool {
    tool(Origin::Local { answer: String::new() }, data_class)
}

fn caller(zone: Zone, mode: Mode) -> Caller {
    let model = Model { zone: Some(zone), fallbacks: Vec::new() };
    Caller { name: "a".to_owned(), administrator: true, group: None, model, mode }
}

const CLASSES: [DataClass; 6] = [
    DataClass::PublicContent,
    DataClass::EditorContent,
    DataClass::SourceCode,
    DataClass::InternalConfiguration,
    DataClass::SystemDiagnostics,
    DataClass::SecretAdjacent,
];
const ZONES: [Zone; 4] = [Zone::Local, Zone::PrivateHosted, Zone::ExternalEu, Zone::ExternalGlobal];

#[test]
fn the_first_reason_is_the_one_that_is_named() {
    let secret = DataClass::SecretAdjacent;
    let far = Zone::ExternalGlobal;
    let mut refused = caller(far, Mode::Enforce);
    refused.administrator = false;
    refused.group = Some(BTreeSet::new());
    let denied = |tool: Option<&Tool>, caller: &Caller| decide(tool, caller).denial();
    assert_eq!(denied(None, &refused), Some(Denial::NotRegistered));
    let mut off = remote(secret);
    off.enabled = false;
    assert_eq!(denied(Some(&off), &refused), Some(Denial::Disabled));
    let on = remote(secret);
    assert_eq!(denied(Some(&on), &refused), Some(Denial::RequiresAdministrator));
    refused.administrator = true;
    assert_eq!(denied(Some(&on), &refused), Some(Denial::OutsideGroup));
    for group in ["mcp_s", "mcp_s_t"] {
        refused.group = Some(BTreeSet::from([group.to_owned()]));
        let expected = Denial::TrustZone { class: secret, zone: far };
        assert_eq!(denied(Some(&on), &refused), Some(expected), "{group}");
    }
    refused.model.zone = Some(Zone::Local);
    assert_eq!(decide(Some(&on), &refused), Decision::Allowed);
}

#[test]
fn every_class_in_every_zone() {
    // What a zone may read at most, as a place in `CLASSES`.
    for (zone, ceiling) in ZONES.into_iter().zip([5, 4, 3, 1]) {
        for (place, class) in CLASSES.into_iter().enumerate() {
            let fits = place <= ceiling;
            for mode in [Mode::Observe, Mode::Enforce] {
                let decision = decide(Some(&remote(class)), &caller(zone, mode));
                assert_eq!(decision == Decision::Allowed, fits, "{class} {zone} {mode:?}");
                assert_eq!(decision.denial().is_none(), fits, "{class} {zone} {mode:?}");
                let decision = decide(Some(&local(class)), &caller(zone, mode));
                assert_eq!(decision == Decision::Allowed, fits, "{class} {zone} {mode:?}");
                let is_let_through = fits || mode == Mode::Observe;
                assert_eq!(decision.denial().is_none(), is_let_through, "{class} {zone} {mode:?}");
            }
        }
    }
}

#[test]
fn a_local_tool_takes_no_administrator() {
    let mut anyone = caller(Zone::Local, Mode::Enforce);
    anyone.administrator = false;
    assert_eq!(decide(Some(&local(DataClass::PublicContent)), &anyone), Decision::Allowed);
}

#[test]
fn the_least_trusted_zone_within_one_step_counts() {
    let of = |zone, fallbacks| Model { zone, fallbacks };
    assert_eq!(of(None, vec![]).effective_zone(), Zone::ExternalGlobal);
    let near = of(Some(Zone::Local), vec![of(Some(Zone::ExternalEu), vec![])]);
    assert_eq!(near.effective_zone(), Zone::ExternalEu);
    let unknown = of(Some(Zone::Local), vec![of(None, vec![])]);
    assert_eq!(unknown.effective_zone(), Zone::ExternalGlobal);
    let two_steps =
        of(Some(Zone::Local), vec![of(Some(Zone::PrivateHosted), vec![of(None, vec![])])]);
    assert_eq!(two_steps.effective_zone(), Zone::PrivateHosted);
}

#[test]
fn whatever_is_unknown_is_far_and_observes() {
    for zone in ZONES {
        assert_eq!(Zone::stated(Some(zone.as_str())), zone);
    }
    for name in [None, Some(""), Some("LOCAL"), Some("moon")] {
        assert_eq!(Zone::stated(name), Zone::ExternalGlobal, "{name:?}");
    }
    assert_eq!(Mode::stated("enforce"), Mode::Enforce);
    for name in ["", "observe", "Enforce", "enforced"] {
        assert_eq!(Mode::stated(name), Mode::Observe, "{name}");
    }
}
