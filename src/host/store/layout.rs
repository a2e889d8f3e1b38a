//! The tables of a store, and what brings those of earlier versions to them.

/// The version of the tables that this program writes.
pub const VERSION: i64 = 3;

/// Marks a file as a store: `mcpc` in ASCII.
pub(super) const APPLICATION_ID: i64 = 0x6d63_7063;

/// The tables of this version.
pub(super) const TABLES: &str = include_str!("schema.sql");

/// From each version to the next one, the first from version 1.
pub(super) const MIGRATIONS: [&str; VERSION as usize - 1] = [OUTCOMES, APPROVALS];

/// What calls came to.
pub(super) const OUTCOMES: &str =
    "ALTER TABLE event ADD COLUMN outcome TEXT CHECK (outcome IS NULL OR (
    kind = 'tool' AND is_error IS NOT NULL AND outcome IN ('ok', 'failed', 'cancelled')
    AND (outcome = 'ok') = (is_error = 0)));";

/// What was enabled before is off until it is enabled again: nobody knows which
/// origin it was enabled at, nor whether it has changed since.
const APPROVALS: &str = "ALTER TABLE tool ADD COLUMN origin TEXT;
    ALTER TABLE tool ADD COLUMN changed TEXT
    CHECK (changed IS NULL OR (changed <> '' AND enabled = 0));";
