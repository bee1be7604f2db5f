package dev.holdfast.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;

@NeedsServer(value = Server.POSTGRESQL, ofItsOwn = true)
class PostgresPairIT {

  @Test
  void a_promoted_standby_has_what_was_committed_and_takes_writes() throws Exception {
    try (PostgresPair pair = PostgresPair.startSynchronous()) {
      Database database = pair.newDatabase();
      database.execute(List.of("CREATE TABLE t (n INT)", "INSERT INTO t VALUES (41)"));

      pair.primary().kill();
      pair.promote();

      try (Connection connection = DriverManager.getConnection(pair.url(database));
          Statement statement = connection.createStatement()) {
        assertThat(statement.executeUpdate("UPDATE t SET n = 42 WHERE n = 41")).isEqualTo(1);
      }
    }
  }
}
