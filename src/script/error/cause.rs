//! Why a script ended: [`Cause`].

/// What kind of end a script came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The script is wrong.
    Script,
    /// It went on from something that never happened: the subject was silent.
    Absent,
    /// It asked for a member of a number, a string or a boolean: the script is
    /// wrong, or the subject sent something of the wrong shape.
    Shape,
    /// It would never have come to its end: it ran or waited too often.
    WithoutEnd,
    /// Its time was up.
    TimeIsUp,
    /// The user interrupted the run.
    Interrupted,
}

impl Cause {
    /// Whether the script was ended, rather than failed.
    pub fn is_an_end(self) -> bool {
        matches!(self, Cause::TimeIsUp | Cause::Interrupted)
    }
}
