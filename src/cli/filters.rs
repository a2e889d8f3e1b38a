//! Which checks a command is about: [`Filters`], shared by the subcommands.

use clap::Args;
use miette::{Report, miette};

use crate::check::{Level, Library, Selection, selection};
use crate::mcp::Revision;
use crate::profile::Profile;
use crate::runner::plan::Choice;

/// Which checks, for which profiles. Each filter narrows what the others leave.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Which checks")]
pub struct Filters {
    /// Which checks [default: all]: an id or its end, a folder, a tag, a revision, a glob, one
    /// case as in 'ID[a case]', or an expression of these with not, and, or.
    #[arg(value_name = "SELECTION", help_heading = None)]
    pub selection: Vec<String>,
    /// Only for this profile; may be repeated.
    #[arg(long, value_name = "NAME")]
    pub profile: Vec<String>,
    /// Only for this revision of the protocol; may be repeated.
    #[arg(long, value_name = "REVISION")]
    pub revision: Vec<String>,
    /// Only checks with this tag; may be repeated, then any of them is enough.
    #[arg(long, value_name = "TAG")]
    pub tag: Vec<String>,
    /// Only claims of this level and of stronger ones: must, should, may or interop.
    #[arg(long, value_name = "LEVEL")]
    pub level: Option<Level>,
}

/// What the filters name, found in the library and among the profiles.
#[derive(Clone, Debug)]
pub struct Chosen<'a> {
    /// Which checks; all if `None`.
    pub selection: Option<Selection>,
    /// Which revisions; all if empty.
    pub revisions: Vec<Revision>,
    filters: &'a Filters,
}

impl Filters {
    /// Looks up what the filters name.
    ///
    /// # Errors
    /// A diagnostic of the first name that does not exist, with the near ones.
    pub fn choose(&self, library: &Library, profiles: &[Profile]) -> miette::Result<Chosen<'_>> {
        for tag in &self.tag {
            selection::known_tag(tag, library)?;
        }
        for profile in &self.profile {
            selection::known_profile(profile, profiles)?;
        }
        let revisions = self.revision.iter().map(|revision| selection::known_revision(revision));
        let revisions = revisions.collect::<Result<Vec<_>, _>>()?;
        let selection = match self.selection.as_slice() {
            [] => None,
            expressions => Some(Selection::parse(expressions, library)?),
        };
        Ok(Chosen { selection, revisions, filters: self })
    }
}

impl Chosen<'_> {
    /// The same as the runner takes it.
    pub fn choice(&self) -> Choice<'_> {
        Choice {
            selection: self.selection.as_ref(),
            profiles: &self.filters.profile,
            revisions: &self.revisions,
            tags: &self.filters.tag,
            level: self.filters.level,
            spoken: None,
        }
    }
}

/// What is said when no check is left.
pub fn nothing_left() -> Report {
    miette!(
        code = "selection::nothing-left",
        help = "each filter narrows what the others leave; take one away",
        "no check is left by these filters"
    )
}
