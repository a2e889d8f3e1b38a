//! Which cases of a check are selected: [`Cases`].

/// The cases of one check.
#[derive(Clone, Debug)]
pub enum Cases {
    All,
    Some(Vec<String>),
}
