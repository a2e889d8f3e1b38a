-- Version 3 of the store. Version 1 had no column `outcome` in `event`, version 2
-- neither `origin` nor `changed` in `tool`.
CREATE TABLE tool (
  server         TEXT    NOT NULL,
  remote_name    TEXT    NOT NULL,
  local_name     TEXT    NOT NULL UNIQUE,
  description    TEXT,
  schema         TEXT    NOT NULL,
  schema_as_sent TEXT    NOT NULL,
  annotations    TEXT,
  enabled        INTEGER NOT NULL DEFAULT 0 CHECK (enabled IN (0, 1)),
  orphaned       INTEGER NOT NULL DEFAULT 0 CHECK (orphaned IN (0, 1)),
  imported_at    INTEGER NOT NULL,
  origin         TEXT,
  changed        TEXT    CHECK (changed IS NULL OR (changed <> '' AND enabled = 0)),
  PRIMARY KEY (server, remote_name)
) STRICT;

CREATE TABLE run (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  caller      TEXT    NOT NULL,
  status      TEXT    NOT NULL CHECK (status IN ('running', 'completed', 'failed', 'cancelled')),
  started_at  INTEGER NOT NULL,
  ended_at    INTEGER,
  lease_owner TEXT,
  lease_until INTEGER
) STRICT;

CREATE TABLE event (
  run      INTEGER NOT NULL REFERENCES run (id),
  sequence INTEGER NOT NULL,
  at       INTEGER NOT NULL,
  kind     TEXT    NOT NULL,
  tool     TEXT,
  effect   TEXT,
  is_error INTEGER CHECK (is_error IN (0, 1)),
  text     TEXT,
  outcome  TEXT    CHECK (outcome IS NULL OR (
    kind = 'tool' AND is_error IS NOT NULL AND outcome IN ('ok', 'failed', 'cancelled')
    AND (outcome = 'ok') = (is_error = 0))),
  PRIMARY KEY (run, sequence),
  CHECK (is_error IS NULL OR kind = 'tool')
) STRICT;

CREATE TABLE contact (
  id        INTEGER PRIMARY KEY AUTOINCREMENT,
  server    TEXT    NOT NULL,
  at        INTEGER NOT NULL,
  operation TEXT    NOT NULL,
  latency   INTEGER NOT NULL
) STRICT;

CREATE TABLE denial (
  id     INTEGER PRIMARY KEY AUTOINCREMENT,
  at     INTEGER NOT NULL,
  caller TEXT    NOT NULL,
  tool   TEXT    NOT NULL,
  reason TEXT    NOT NULL
) STRICT;
