-- The fence of Holdfast on MySQL and MariaDB: belongs into the database with the protected data.
-- One row for each lock: the greatest exclusive token that has been here.
CREATE TABLE IF NOT EXISTS holdfast_fence (
  name  VARBINARY(2048) NOT NULL PRIMARY KEY,
  token BIGINT          NOT NULL
) ENGINE = InnoDB;
