-- Holdfast on H2, record format 1. Times are microseconds since 1970 by the database's clock.
-- Names are bytes of UTF-8, which no setting of the database compares or sorts otherwise.

-- One row: the format of these tables, and how far the sweep that all clients share has come.
CREATE TABLE IF NOT EXISTS holdfast_schema (
  id         INTEGER         NOT NULL PRIMARY KEY CHECK (id = 1),
  format     INTEGER         NOT NULL,
  swept_name VARBINARY(2048) NOT NULL,
  swept_at   BIGINT          NOT NULL
);

-- One row for each lock, kept for a while after its last use so that its tokens go on rising.
-- The head of the queue, when granted, sits in the row itself (claim_id and what follows): an
-- uncontended lock is taken and released by one statement each.
CREATE TABLE IF NOT EXISTS holdfast_lock (
  name        VARBINARY(2048) NOT NULL PRIMARY KEY,
  format      INTEGER         NOT NULL,
  kind        VARCHAR(64)     NOT NULL,
  capacity    INTEGER         NOT NULL,
  last_token  BIGINT          NOT NULL, -- the greatest ever handed out, spares included
  queued      INTEGER         NOT NULL, -- how many rows holdfast_claim has for this lock
  claim_id    VARCHAR(64)     NULL, -- NULL: nobody sits here
  weight      INTEGER         NOT NULL,
  token       BIGINT          NOT NULL,
  since       BIGINT          NOT NULL,
  ttl         BIGINT          NOT NULL,
  expires     BIGINT          NOT NULL,
  owner       VARBINARY       NULL,
  claim_value VARBINARY       NULL
);

-- The rest of the queue in the order of seq, and what is left of ended claims. No index beside
-- the key: a queue is always read and changed as a whole, under its lock row.
CREATE TABLE IF NOT EXISTS holdfast_claim (
  lock_name   VARBINARY(2048) NOT NULL,
  seq         BIGINT          NOT NULL,
  claim_id    VARCHAR(64)     NOT NULL,
  state       VARCHAR(64)     NOT NULL, -- LIVE, LINGERING or TOMBSTONE
  weight      INTEGER         NOT NULL,
  token       BIGINT          NOT NULL, -- 0: waits
  since       BIGINT          NOT NULL,
  ttl         BIGINT          NOT NULL,
  expires     BIGINT          NOT NULL,
  token_floor BIGINT          NOT NULL,
  owner       VARBINARY       NOT NULL,
  claim_value VARBINARY       NULL,
  channel     VARCHAR(64)     NULL, -- where the waiting client listens; NULL: it polls
  PRIMARY KEY (lock_name, seq)
);

INSERT INTO holdfast_schema (id, format, swept_name, swept_at)
SELECT 1, 1, X'', 0 WHERE NOT EXISTS (SELECT 1 FROM holdfast_schema);
