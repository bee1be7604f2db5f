package dev.holdfast.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

@NeedsServer(value = Server.MARIADB, ofItsOwn = true)
class MariaDbServerIT extends SqlServerSmoke {

  @Override
  SqlServer start() {
    return MariaDbServer.start();
  }

  @Override
  SqlServer shared() {
    return MariaDbServer.shared();
  }

  /** When it starts, MariaDB removes all temporary tables there, and so ends queries of others. */
  @Test
  void it_has_a_separate_folder_for_temporary_tables() throws Exception {
    try (SqlServer other = start()) {
      assertThat(temporary(other)).isNotEqualTo(temporary(shared()));
    }
  }

  private static String temporary(SqlServer server) throws SQLException {
    try (Database database = server.newDatabase();
        Connection connection = database.connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT @@tmpdir")) {
      rows.next();
      return rows.getString(1);
    }
  }
}
