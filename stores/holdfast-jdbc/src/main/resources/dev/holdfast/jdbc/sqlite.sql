-- Holdfast on SQLite, record format 1. Times are microseconds since 1970 by the database's clock.

-- One row: the format of these tables, and how far the sweep that all clients share has come.
CREATE TABLE IF NOT EXISTS holdfast_schema (
  id         INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  format     INTEGER NOT NULL,
  swept_name TEXT    NOT NULL,
  swept_at   INTEGER NOT NULL
) STRICT;

-- One row for each lock, kept for a while after its last use so that its tokens go on rising.
-- The head of the queue, when granted, sits in the row itself (claim_id and what follows): an
-- uncontended lock is taken and released by one statement each.
CREATE TABLE IF NOT EXISTS holdfast_lock (
  name        TEXT    NOT NULL PRIMARY KEY,
  format      INTEGER NOT NULL,
  kind        TEXT    NOT NULL,
  capacity    INTEGER NOT NULL,
  last_token  INTEGER NOT NULL, -- the greatest ever handed out, spares included
  queued      INTEGER NOT NULL, -- how many rows holdfast_claim has for this lock
  claim_id    TEXT,             -- NULL: nobody sits here
  weight      INTEGER NOT NULL,
  token       INTEGER NOT NULL,
  since       INTEGER NOT NULL,
  ttl         INTEGER NOT NULL,
  expires     INTEGER NOT NULL,
  owner       TEXT,
  claim_value TEXT
) STRICT, WITHOUT ROWID;

-- The rest of the queue in the order of seq, and what is left of ended claims. No index beside
-- the key: a queue is always read and changed as a whole, under its lock row.
CREATE TABLE IF NOT EXISTS holdfast_claim (
  lock_name   TEXT    NOT NULL,
  seq         INTEGER NOT NULL,
  claim_id    TEXT    NOT NULL,
  state       TEXT    NOT NULL, -- LIVE, LINGERING or TOMBSTONE
  weight      INTEGER NOT NULL,
  token       INTEGER NOT NULL, -- 0: waits
  since       INTEGER NOT NULL,
  ttl         INTEGER NOT NULL,
  expires     INTEGER NOT NULL,
  token_floor INTEGER NOT NULL,
  owner       TEXT    NOT NULL,
  claim_value TEXT,
  channel     TEXT,             -- where the waiting client listens; NULL: it polls
  PRIMARY KEY (lock_name, seq)
) STRICT, WITHOUT ROWID;

INSERT INTO holdfast_schema (id, format, swept_name, swept_at)
SELECT 1, 1, '', 0 WHERE NOT EXISTS (SELECT 1 FROM holdfast_schema);
