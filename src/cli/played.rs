//! How one check is played by itself: for which profile, and in which case.

use miette::miette;

use crate::check::nearest::did_you_mean;
use crate::check::{Check, selection};
use crate::mcp::Revision;
use crate::profile::Profile;

/// The profile that is named, or the newest that the check is about, or whose
/// revision is `revision`; it then speaks that revision.
///
/// # Errors
/// A diagnostic if there is no such profile.
pub fn profile(
    name: Option<&str>,
    revision: Option<Revision>,
    check: &Check,
    profiles: &[Profile],
) -> miette::Result<Profile> {
    if let Some(name) = name {
        selection::known_profile(name, profiles)?;
    }
    let fits = |profile: &Profile| match (name, revision) {
        (Some(name), _) => profile.name == *name,
        (None, Some(revision)) => profile.revision == revision,
        (None, None) => check.header.revisions.contains(&profile.revision),
    };
    // Without one that fits the client still has to accept something.
    let newest = |profiles: &mut dyn Iterator<Item = &Profile>| {
        profiles.max_by_key(|profile| profile.revision).cloned()
    };
    let found = newest(&mut profiles.iter().filter(|profile| fits(profile)))
        .or_else(|| newest(&mut profiles.iter()));
    let mut profile = found.ok_or_else(|| miette!("there is no profile"))?;
    profile.revision = revision.unwrap_or(profile.revision);
    Ok(profile)
}

/// The case that is named, else the first; `None` if the check has none.
///
/// # Errors
/// A diagnostic if the check has no such case.
pub fn case(named: Option<String>, check: &Check) -> miette::Result<Option<String>> {
    let cases = &check.header.cases;
    match named {
        Some(case) if !cases.contains(&case) => {
            let help =
                did_you_mean(&case, cases.iter().map(String::as_str)).unwrap_or_else(
                    || match cases.as_slice() {
                        [] => "leave --case out".to_owned(),
                        cases => format!("its cases are {}", cases.join("; ")),
                    },
                );
            Err(miette!(
                code = "drive::case",
                help = help,
                "the check `{}` has no case `{case}`",
                check.id
            ))
        }
        Some(case) => Ok(Some(case)),
        None => Ok(cases.first().cloned()),
    }
}
