-- Holdfast on PostgreSQL, record format 1. Times are microseconds since 1970 by the database's clock.
-- Names are compared byte by byte: collation "C".

-- One row: the format of these tables, and how far the sweep that all clients share has come.
CREATE TABLE IF NOT EXISTS holdfast_schema (
  id         integer          NOT NULL PRIMARY KEY CHECK (id = 1),
  format     integer          NOT NULL,
  swept_name text COLLATE "C" NOT NULL,
  swept_at   bigint           NOT NULL
);

-- One row for each lock, kept for a while after its last use so that its tokens go on rising.
-- The head of the queue, when granted, sits in the row itself (claim_id and what follows): an
-- uncontended lock is taken and released by one statement each.
CREATE TABLE IF NOT EXISTS holdfast_lock (
  name        text COLLATE "C" NOT NULL PRIMARY KEY,
  format      integer          NOT NULL,
  kind        text COLLATE "C" NOT NULL,
  capacity    integer          NOT NULL,
  last_token  bigint           NOT NULL, -- the greatest ever handed out, spares included
  queued      integer          NOT NULL, -- how many rows holdfast_claim has for this lock
  claim_id    text COLLATE "C" NULL, -- NULL: nobody sits here
  weight      integer          NOT NULL,
  token       bigint           NOT NULL,
  since       bigint           NOT NULL,
  ttl         bigint           NOT NULL,
  expires     bigint           NOT NULL,
  owner       text             NULL,
  claim_value text             NULL
);

-- The rest of the queue in the order of seq, and what is left of ended claims. No index beside
-- the key: a queue is always read and changed as a whole, under its lock row.
CREATE TABLE IF NOT EXISTS holdfast_claim (
  lock_name   text COLLATE "C" NOT NULL,
  seq         bigint           NOT NULL,
  claim_id    text COLLATE "C" NOT NULL,
  state       text COLLATE "C" NOT NULL, -- LIVE, LINGERING or TOMBSTONE
  weight      integer          NOT NULL,
  token       bigint           NOT NULL, -- 0: waits
  since       bigint           NOT NULL,
  ttl         bigint           NOT NULL,
  expires     bigint           NOT NULL,
  token_floor bigint           NOT NULL,
  owner       text             NOT NULL,
  claim_value text             NULL,
  channel     text COLLATE "C" NULL, -- where the waiting client listens; NULL: it polls
  PRIMARY KEY (lock_name, seq)
);

INSERT INTO holdfast_schema (id, format, swept_name, swept_at)
VALUES (1, 1, '', 0) ON CONFLICT DO NOTHING;
