//! What a check left on the wire, and how that compares with its snapshot.

/// What one check left on the wire.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The check's id; each `/` is a folder.
    pub check: String,
    /// Every case that the check declares, in the header's order; empty if it
    /// has none. A recorded case that is no longer declared is dropped.
    pub cases: Vec<String>,
    /// What was recorded now, for each profile that ran.
    pub wires: Vec<Wire>,
    /// Where the check comes from: `checks/client/tool-call-basic.rhai`.
    pub source: String,
    /// The check's first sentence.
    pub description: String,
}

/// What a check left on the wire for one profile.
#[derive(Clone, Debug)]
pub struct Wire {
    /// The profile's name.
    pub profile: String,
    /// The revision in force.
    pub revision: String,
    /// One section without a case, or one for each case that ran.
    pub sections: Vec<Section>,
}

/// What was recorded for one case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The case's name; `None` if the check has no cases.
    pub case: Option<String>,
    /// The wire, as [`crate::wire::text::render_all`] writes it.
    pub contents: String,
}

/// How one recorded section compares with the snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// It is what it was.
    Same,
    /// The snapshot has no such section.
    New,
    /// It differs.
    Different {
        /// What the snapshot says.
        old: String,
        /// What was recorded now.
        new: String,
    },
}

/// How a recording compares with its snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    /// One for each section of each wire, in the same order.
    pub sections: Vec<Comparison>,
    /// Whether nothing of the snapshot would change. It would when a section
    /// differs, when the cases of the check changed, or when something else of it
    /// waits for a review.
    pub is_same: bool,
}
