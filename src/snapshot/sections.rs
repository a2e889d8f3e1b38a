//! The sections of a snapshot, one for each case. The main type is [`Section`].

/// What was recorded for one case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The case's name; `None` if the check has no cases.
    pub case: Option<String>,
    /// The wire, as [`crate::wire::text::render_all`] writes it.
    pub contents: String,
}

const BEFORE: &str = "── case: ";
const AFTER: &str = " ──";

/// The sections of a snapshot's contents.
pub(super) fn split(contents: &str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for line in contents.lines() {
        let case = line.strip_prefix(BEFORE).and_then(|rest| rest.strip_suffix(AFTER));
        if let Some(case) = case {
            sections.push(Section { case: Some(case.to_owned()), contents: String::new() });
            continue;
        }
        if sections.is_empty() {
            sections.push(Section { case: None, contents: String::new() });
        }
        if let Some(section) = sections.last_mut() {
            section.contents.push_str(line);
            section.contents.push('\n');
        }
    }
    sections
}

/// The contents of a snapshot: for each of `cases`, in their order, what is in
/// `new`, or else in `old`.
pub(super) fn merge(old: &[Section], new: &[Section], cases: &[String]) -> String {
    let find =
        |case: Option<&str>| new.iter().chain(old).find(|section| section.case.as_deref() == case);
    if cases.is_empty() {
        return find(None).map(|section| section.contents.clone()).unwrap_or_default();
    }
    let texts: Vec<String> = cases
        .iter()
        .filter_map(|case| find(Some(case)).map(|section| (case, section)))
        .map(|(case, section)| format!("{BEFORE}{case}{AFTER}\n{}\n", section.contents.trim_end()))
        .collect();
    texts.join("\n")
}
