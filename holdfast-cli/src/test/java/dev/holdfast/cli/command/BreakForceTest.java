package dev.holdfast.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.UnreadableRecordException;
import dev.holdfast.cli.InProcess;
import dev.holdfast.cli.output.ExitCodes;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BreakForceTest {

  @TempDir Path folder;
  private Path file;
  private Holdfast locks;
  private Lease lease;

  @BeforeEach
  void holdALock() throws Exception {
    file = folder.resolve("locks.db");
    locks = Holdfast.connect("sqlite:" + file);
    lease = locks.lock("orders").acquire();
  }

  @AfterEach
  void close() {
    locks.close();
  }

  @Test
  void a_record_that_cannot_be_read_is_named_by_every_command_and_removed_by_force()
      throws Exception {
    damage();
    for (String command : new String[] {"show", "break"}) {
      InProcess refused = run(command, "break".equals(command) ? "--yes" : "--json", "orders");
      assertThat(refused.exitCode).isEqualTo(ExitCodes.STORE_UNREACHABLE);
      assertThat(refused.err)
          .contains("in holdfast_lock, name 'orders'")
          .contains("holdfast break --force");
    }
    assertThat(run("ls").exitCode).isZero();

    InProcess forced = run("break", "--force", "--yes", "orders");
    assertThat(forced.exitCode).as(forced.err).isZero();
    assertThat(forced.out).isEqualTo("the record of 'orders' could not be read and was removed\n");
    try (Holdfast others = Holdfast.connect("sqlite:" + file);
        Lease next = others.lock("orders").acquire()) {
      assertThat(next.token()).isGreaterThan(lease.token());
    }
  }

  @Test
  void a_record_that_can_be_read_is_left_alone() {
    InProcess forced = run("break", "--force", "--yes", "orders");
    assertThat(forced.exitCode).isEqualTo(ExitCodes.NO);
    assertThat(forced.out).contains("can be read and is not removed").contains("without --force");
    assertThat(locks.inspect("orders").isHeld()).isTrue();
    InProcess free = run("break", "--force", "--yes", "--json", "nobody-has-it");
    assertThat(free.exitCode).isZero();
    assertThat(free.out)
        .isEqualTo("{\"name\":\"nobody-has-it\",\"broken\":false,\"holders\":[]}\n");
  }

  @Test
  void force_asks_and_takes_no_token() {
    assertThat(run("break", "--force", "orders").err).contains("--yes");
    InProcess both = run("break", "--force", "--yes", "--token", "5", "orders");
    assertThat(both.exitCode).isEqualTo(ExitCodes.USAGE);
    assertThat(both.err).contains("--token");
  }

  @Test
  void the_library_tells_it_as_what_it_is() throws Exception {
    damage();
    try {
      locks.inspect("orders");
    } catch (UnreadableRecordException e) {
      assertThat(e.lockName()).isEqualTo("orders");
      assertThat(e.place()).contains("holdfast_lock");
      assertThat(locks.discard("orders")).isTrue();
      assertThat(locks.discard("orders")).isFalse();
      return;
    }
    throw new AssertionError("a damaged record was read");
  }

  private void damage() throws Exception {
    try (Connection connection =
            DriverManager.getConnection("jdbc:sqlite:" + file + "?busy_timeout=20000");
        Statement statement = connection.createStatement()) {
      statement.execute("UPDATE holdfast_lock SET kind = 'zzz' WHERE name = 'orders'");
    }
  }

  private InProcess run(String... words) {
    return InProcess.run(Map.of("HOLDFAST_STORE", "sqlite:" + file), words);
  }
}
