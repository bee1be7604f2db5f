-- The fence of Holdfast on PostgreSQL: belongs into the database with the protected data.
-- One row for each lock: the greatest exclusive token that has been here.
CREATE TABLE IF NOT EXISTS holdfast_fence (
  name  text COLLATE "C" NOT NULL PRIMARY KEY,
  token bigint           NOT NULL
);
