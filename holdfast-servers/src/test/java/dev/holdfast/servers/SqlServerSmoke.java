package dev.holdfast.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What tests rely on in every SQL server. */
abstract class SqlServerSmoke {

  abstract SqlServer start();

  abstract SqlServer shared();

  @Test
  void what_was_committed_survives_a_kill_and_a_restart() throws Exception {
    try (SqlServer server = start();
        Database database = server.newDatabase()) {
      database.execute(List.of("CREATE TABLE t (n INT)", "INSERT INTO t VALUES (42)"));

      server.kill();
      assertThatThrownBy(database::connect).isInstanceOf(SQLException.class);

      server.restart();
      assertThat(number(database)).isEqualTo(42);
    }
  }

  @Test
  void a_paused_server_goes_on_where_it_was() throws Exception {
    try (SqlServer server = start();
        Database database = server.newDatabase()) {
      database.execute(List.of("CREATE TABLE t (n INT)", "INSERT INTO t VALUES (42)"));
      server.pause();
      server.resume();
      assertThat(number(database)).isEqualTo(42);
    }
  }

  @Test
  void a_database_knows_nothing_of_another() throws Exception {
    try (Database one = shared().newDatabase();
        Database other = shared().newDatabase()) {
      one.execute(List.of("CREATE TABLE t (n INT)"));
      assertThatThrownBy(() -> number(other)).isInstanceOf(SQLException.class);
    }
  }

  @Test
  void a_user_without_ddl_rights_works_with_rows_only() throws Exception {
    try (Database database = shared().newDatabase()) {
      Database guest = database.withoutDdl();
      database.execute(List.of("CREATE TABLE t (n INT)"));
      guest.execute(List.of("INSERT INTO t VALUES (41)", "UPDATE t SET n = 42"));
      assertThat(number(guest)).isEqualTo(42);
      assertThatThrownBy(() -> guest.execute(List.of("CREATE TABLE u (n INT)")))
          .isInstanceOf(SQLException.class);
      assertThatThrownBy(() -> guest.execute(List.of("DROP TABLE t")))
          .isInstanceOf(SQLException.class);
    }
  }

  @Test
  void nothing_is_left_of_a_database_that_was_closed() throws Exception {
    Database database = shared().newDatabase();
    Database guest = database.withoutDdl();
    database.close();
    assertThatThrownBy(guest::connect).isInstanceOf(SQLException.class);
    try (Connection admin = shared().admin()) {
      // Both can be made again, so both are gone.
      List<String> again = new ArrayList<>();
      for (Database gone : List.of(database, guest)) {
        Credentials user = new Credentials(gone.user(), gone.password());
        again.addAll(shared().createDatabase("again" + gone.user(), user));
        again.add(shared().dropDatabase("again" + gone.user()));
        again.add(shared().dropUser(gone.user()));
      }
      Database.execute(admin, again);
    }
  }

  @Test
  void a_wrong_password_is_refused() throws Exception {
    try (Database database = shared().newDatabase()) {
      String wrong = database.url().replace(database.password(), "wrong");
      assertThatThrownBy(() -> DriverManager.getConnection(wrong)).isInstanceOf(SQLException.class);
    }
  }

  static int number(Database database) throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT n FROM t")) {
      rows.next();
      return rows.getInt(1);
    }
  }
}
