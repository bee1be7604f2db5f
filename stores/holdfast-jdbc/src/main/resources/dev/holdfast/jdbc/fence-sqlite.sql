-- The fence of Holdfast on SQLite: belongs into the database with the protected data.
-- One row for each lock: the greatest exclusive token that has been here.
CREATE TABLE IF NOT EXISTS holdfast_fence (
  name  TEXT    NOT NULL PRIMARY KEY,
  token INTEGER NOT NULL
) WITHOUT ROWID;
