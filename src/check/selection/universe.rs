//! Everything that can be selected: the [`Universe`] of all cases of all checks,
//! and the sets of it that words stand for.

use std::collections::HashMap;

use globset::{GlobBuilder, GlobMatcher};

use super::cases::Cases;
use crate::check::discovery::{Check, Library, id_of};
use crate::mcp::Revision;

/// A set of members, by their index.
pub type Set = Vec<bool>;

/// Every case of every check; a check without cases counts as one member.
pub struct Universe<'a> {
    library: &'a Library,
    members: Vec<Member<'a>>,
}

struct Member<'a> {
    id: &'a str,
    /// `None` if the check cannot be read.
    check: Option<&'a Check>,
    case: Option<&'a str>,
}

impl<'a> Universe<'a> {
    pub fn new(library: &'a Library) -> Self {
        let mut members = Vec::new();
        for entry in &library.checks {
            let (id, check) = (id_of(entry), entry.as_ref().ok());
            let cases = check.map_or(&[][..], |check| &check.header.cases);
            if cases.is_empty() {
                members.push(Member { id, check, case: None });
            }
            members.extend(cases.iter().map(|case| Member { id, check, case: Some(case) }));
        }
        Universe { library, members }
    }

    pub fn all(&self) -> Set {
        vec![true; self.members.len()]
    }

    pub fn none(&self) -> Set {
        vec![false; self.members.len()]
    }

    fn filter(&self, holds: impl Fn(&Member<'a>) -> bool) -> Set {
        self.members.iter().map(holds).collect()
    }

    /// The check with this id and all checks in the folder of this name.
    pub fn at(&self, path: &str) -> Option<Set> {
        let path = path.strip_suffix('/').unwrap_or(path);
        let is_at = |id: &str| {
            id.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        non_empty(self.filter(|member| is_at(member.id)))
    }

    /// The checks whose id ends with these parts of a path.
    pub fn ending(&self, path: &str) -> Option<Set> {
        let is_end = |id: &str| id.strip_suffix(path).is_some_and(|rest| rest.ends_with('/'));
        non_empty(self.filter(|member| is_end(member.id)))
    }

    /// The checks whose id matches.
    pub fn matching(&self, pattern: &str) -> Result<Option<Set>, globset::Error> {
        let matcher = glob(pattern)?;
        Ok(non_empty(self.filter(|member| matcher.is_match(member.id))))
    }

    /// The checks with this tag.
    pub fn tagged(&self, tag: &str) -> Option<Set> {
        non_empty(self.filter(|member| {
            member.check.is_some_and(|check| check.header.tags.iter().any(|own| own == tag))
        }))
    }

    /// The checks that run at this revision, which may be none.
    pub fn running_at(&self, revision: Revision) -> Set {
        self.filter(|member| {
            member.check.is_some_and(|check| check.header.revisions.contains(&revision))
        })
    }

    /// The members that are this case.
    pub fn case(&self, name: &str) -> Set {
        self.filter(|member| member.case == Some(name))
    }

    /// The names of the cases of a set.
    pub fn cases_of(&self, set: &Set) -> Vec<&'a str> {
        let members = self.members.iter().zip(set).filter(|(_, chosen)| **chosen);
        members.filter_map(|(member, _)| member.case).collect()
    }

    /// Every word that selects something: ids, folders and tags.
    pub fn words(&self) -> Vec<&'a str> {
        let mut words: Vec<&str> = self.library.ids().collect();
        for id in self.library.ids() {
            words.extend(id.match_indices('/').map(|(slash, _)| &id[..slash]));
        }
        words.extend(self.library.tags());
        words.extend(Revision::ALL.map(Revision::as_str));
        words
    }

    pub fn tags(&self) -> impl Iterator<Item = &'a str> {
        self.library.tags().into_iter()
    }

    /// What the path of a file, or of a folder, selects.
    pub fn file(&self, path: &str) -> Option<Set> {
        let id = self.id_of_file(path)?;
        if id.is_empty() { non_empty(self.all()) } else { self.at(&id) }
    }

    /// The path of a file as an id, if it is one: without the folder of the
    /// checks and the ending.
    fn id_of_file(&self, path: &str) -> Option<String> {
        let path = path.replace('\\', "/");
        let path = path.strip_prefix("./").unwrap_or(&path);
        let folder = self.library.folder.as_ref().and_then(|folder| folder.to_str());
        let folder = folder.map_or("checks", |folder| folder.strip_prefix("./").unwrap_or(folder));
        let below = path.strip_prefix(folder.trim_end_matches('/')).unwrap_or(path);
        let id = below.trim_start_matches('/');
        let id = id.strip_suffix(".rhai").unwrap_or(id);
        (id != path).then(|| id.to_owned())
    }

    /// The set as the cases that are selected of each check.
    pub fn by_check(&self, set: &Set) -> HashMap<String, Cases> {
        let mut selected = HashMap::new();
        let pairs: Vec<(&Member<'_>, bool)> =
            self.members.iter().zip(set.iter().copied()).collect();
        for group in pairs.chunk_by(|(a, _), (b, _)| a.id == b.id) {
            let chosen = group.iter().filter(|(_, chosen)| *chosen);
            let cases = match chosen.clone().count() {
                0 => continue,
                count if count == group.len() => Cases::All,
                _ => Cases::Some(
                    chosen.filter_map(|(member, _)| member.case).map(str::to_owned).collect(),
                ),
            };
            selected.extend(group.first().map(|(member, _)| (member.id.to_owned(), cases)));
        }
        selected
    }
}

fn glob(pattern: &str) -> Result<GlobMatcher, globset::Error> {
    // Brackets name cases; in a pattern they are ordinary letters.
    let pattern = pattern.replace('[', "[[]");
    let glob =
        GlobBuilder::new(&pattern).literal_separator(true).backslash_escape(false).build()?;
    Ok(glob.compile_matcher())
}

fn non_empty(set: Set) -> Option<Set> {
    set.contains(&true).then_some(set)
}
