package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreException;
import dev.holdfast.servers.Database;
import dev.holdfast.servers.SqlServer;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What a database does to its clients when it dies, and what they make of it. */
abstract class SqlOutage {

  private static final LockOptions LONG = LockOptions.defaults().ttl(Duration.ofMinutes(5));

  abstract SqlServer start();

  @Test
  void a_killed_database_leaves_nobody_hanging_or_wrong_and_work_goes_on() throws Exception {
    try (SqlServer server = start();
        Database database = server.newDatabase();
        OutageScene scene = new OutageScene(database.url())) {
      scene.survives(server::kill, server::restart);
    }
  }

  @Test
  void a_database_that_hangs_leaves_nobody_hanging_or_wrong_and_work_goes_on() throws Exception {
    try (SqlServer server = start();
        Database database = server.newDatabase();
        OutageScene scene = new OutageScene(database.url())) {
      scene.survives(server::pause, server::resume);
    }
  }

  @Test
  void a_lease_outlives_a_restart_that_is_shorter_than_its_validity() throws Exception {
    try (SqlServer server = start();
        Database database = server.newDatabase();
        Holdfast locks = Holdfast.connect(database.url());
        Holdfast others = Holdfast.connect(database.url());
        Lease lease = locks.lock("kept", LONG).acquire()) {
      server.kill();
      assertThatThrownBy(lease::renew).isInstanceOf(StoreException.class);
      assertThat(lease.isValid()).as("unknown is not lost").isTrue();

      server.restart();
      await().ignoreException(StoreException.class).untilAsserted(lease::renew);
      await()
          .ignoreException(StoreException.class)
          .untilAsserted(() -> assertThat(others.lock("kept", LONG).tryAcquire()).isNull());
      assertThat(others.verify(lease.proof())).isTrue();
    }
  }
}
