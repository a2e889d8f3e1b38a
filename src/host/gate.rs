//! Whether a tool may be called: [`decide`], one policy for every tool.

use std::collections::BTreeSet;
use std::fmt;

use super::changes::Changes;
use super::tool::{Origin, Tool};
use crate::profile::{DataClass, Zone};

impl Zone {
    /// The zone of this name; whatever is unknown or unstated is external
    /// global.
    pub fn stated(name: Option<&str>) -> Zone {
        let all = [Zone::Local, Zone::PrivateHosted, Zone::ExternalEu];
        all.into_iter().find(|zone| Some(zone.as_str()) == name).unwrap_or(Zone::ExternalGlobal)
    }
}

/// The model that reads what tools return, and those that take its place if it
/// cannot be reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    /// Where it runs; `None` if that was not stated.
    pub zone: Option<Zone>,
    /// What takes its place. Their own fall-backs are never used.
    pub fallbacks: Vec<Model>,
}

impl Model {
    /// The least trusted zone that an answer can reach: the model's own and
    /// those of its fall-backs, one level deep.
    pub fn effective_zone(&self) -> Zone {
        let own = self.zone.unwrap_or_default();
        self.fallbacks.iter().map(|model| model.zone.unwrap_or_default()).fold(own, Zone::max)
    }
}

/// Whether the ceiling of a zone is enforced. It governs nothing else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// What is above the ceiling is noted and let through, unless it is remote.
    #[default]
    Observe,
    /// What is above the ceiling is refused.
    Enforce,
}

impl Mode {
    /// The mode in a word: `observe`, `enforce`.
    pub fn as_str(self) -> &'static str {
        match self {
            Mode::Observe => "observe",
            Mode::Enforce => "enforce",
        }
    }

    /// The mode of this name; anything but `enforce` observes.
    pub fn stated(name: &str) -> Mode {
        if name == "enforce" { Mode::Enforce } else { Mode::Observe }
    }
}

/// Who asks, and under which configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Caller {
    /// The name under which it is recorded.
    pub name: String,
    /// Whether it is an administrator.
    pub administrator: bool,
    /// The tools, or the groups of tools, that its configuration has; `None` if
    /// it has every one.
    pub group: Option<BTreeSet<String>>,
    /// The model that reads what comes back.
    pub model: Model,
    /// Whether the ceiling of the model's zone is enforced.
    pub mode: Mode,
}

impl Caller {
    /// The name under which an operator is recorded.
    pub const OPERATOR: &str = "operator";

    /// An operator: an administrator with every tool, whose model stands in
    /// `zone`.
    pub fn operator(zone: Zone) -> Self {
        Caller {
            name: Self::OPERATOR.to_owned(),
            administrator: true,
            model: Model { zone: Some(zone), fallbacks: Vec::new() },
            ..Caller::default()
        }
    }
}

/// Why a tool may not be called, in the order in which it is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Denial {
    /// No tool has the name.
    NotRegistered,
    /// It was not enabled.
    Disabled,
    /// It was enabled, and is not any more what was enabled.
    Changed(Changes),
    /// It takes an administrator.
    RequiresAdministrator,
    /// The caller's configuration does not have it.
    OutsideGroup,
    /// What it returns is more sensitive than the zone's ceiling.
    TrustZone {
        /// The class of what the tool returns.
        class: DataClass,
        /// The least trusted zone that it can reach.
        zone: Zone,
    },
}

impl Denial {
    /// The reason in a word: `not-registered`, `disabled`, `changed`,
    /// `requires-administrator`, `outside-group`, `trust-zone`.
    pub fn as_str(self) -> &'static str {
        match self {
            Denial::NotRegistered => "not-registered",
            Denial::Disabled => "disabled",
            Denial::Changed(_) => "changed",
            Denial::RequiresAdministrator => "requires-administrator",
            Denial::OutsideGroup => "outside-group",
            Denial::TrustZone { .. } => "trust-zone",
        }
    }
}

impl fmt::Display for Denial {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Denial::NotRegistered => formatter.write_str("no tool of this name is registered"),
            Denial::Disabled => formatter.write_str("the tool is not enabled"),
            Denial::Changed(changes) => {
                write!(formatter, "the tool is not what was enabled; changed since then: {changes}")
            }
            Denial::RequiresAdministrator => {
                formatter.write_str("a remote tool takes an administrator")
            }
            Denial::OutsideGroup => formatter.write_str("the configuration does not have the tool"),
            Denial::TrustZone { class, zone } => write!(
                formatter,
                "it returns {class}, and the zone {zone} may read {} at most",
                zone.ceiling()
            ),
        }
    }
}

/// What the gate says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The tool may be called.
    Allowed,
    /// The tool may be called, and could not be if the mode were to enforce.
    Observed(Denial),
    /// The tool may not be called.
    Denied(Denial),
}

impl Decision {
    /// Why the tool may not be called; `None` if it may.
    pub fn denial(self) -> Option<Denial> {
        match self {
            Decision::Denied(denial) => Some(denial),
            Decision::Allowed | Decision::Observed(_) => None,
        }
    }
}

/// Decides whether `caller` may call `tool`, which is `None` if no tool of the
/// name is registered.
///
/// Each question is asked only if every one before it was answered with yes. So
/// who was refused already never learns that there are zones.
pub fn decide(tool: Option<&Tool>, caller: &Caller) -> Decision {
    let Some(tool) = tool else { return Decision::Denied(Denial::NotRegistered) };
    if tool.changed.any() {
        return Decision::Denied(Denial::Changed(tool.changed));
    }
    if !tool.enabled {
        return Decision::Denied(Denial::Disabled);
    }
    if tool.requires_administrator() && !caller.administrator {
        return Decision::Denied(Denial::RequiresAdministrator);
    }
    let is_within = |group: &BTreeSet<String>| {
        group.contains(&tool.name) || tool.group().is_some_and(|of| group.contains(&of))
    };
    if !caller.group.as_ref().is_none_or(is_within) {
        return Decision::Denied(Denial::OutsideGroup);
    }
    let zone = caller.model.effective_zone();
    if tool.data_class <= zone.ceiling() {
        return Decision::Allowed;
    }
    let denial = Denial::TrustZone { class: tool.data_class, zone };
    // To observe is for tools that were there before there were zones; no
    // remote tool was.
    let is_remote = matches!(tool.origin, Origin::Remote { .. });
    if caller.mode == Mode::Enforce || is_remote {
        Decision::Denied(denial)
    } else {
        Decision::Observed(denial)
    }
}

#[cfg(test)]
mod tests;
