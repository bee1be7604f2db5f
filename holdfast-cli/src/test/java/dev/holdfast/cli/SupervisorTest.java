package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which end of a command lets another one be started after the next election. */
class SupervisorTest {

  private static final Duration TTL = Duration.ofSeconds(2);
  private static final String PATH = System.getenv("PATH");

  /** Stops the command, but is killed before it can say that all of it has ended. */
  private static final String MORTAL =
      "read -r root; while read -r order; do case $order in"
          + " stop) kill -s KILL \"$root\"; kill -s KILL $$ ;; done) exit 0 ;; esac; done";

  private @TempDir Path directory;
  private final Holdfast locks = Holdfast.connect("memory:supervisor-test");
  private final ByteArrayOutputStream said = new ByteArrayOutputStream();
  private final PrintStream out = new PrintStream(said, true, StandardCharsets.UTF_8);
  private final Console console = new Console(InputStream.nullInputStream(), out, out, Map.of());

  @AfterEach
  void close() {
    locks.close();
  }

  @Test
  void one_that_the_loss_has_stopped() throws Exception {
    assertEnd(Resources.text("watchdog.sh"), true, "sleep 1000", ExitCodes.LOST, true);
    assertThat(text()).contains("was lost and the command was stopped");
  }

  @Test
  void not_one_that_ends_by_itself_with_the_code_of_a_loss() throws Exception {
    assertEnd(Resources.text("watchdog.sh"), false, "exit 76", ExitCodes.LOST, false);
  }

  @Test
  void not_one_of_which_something_may_still_run() throws Exception {
    assertEnd(MORTAL, true, "sleep 1000", ExitCodes.LOST, false);
    assertThat(text()).contains("may still run");
  }

  private void assertEnd(
      String watchdogScript, boolean lost, String command, int code, boolean stopped)
      throws Exception {
    Lease lease = locks.lock("demo", LockOptions.defaults().ttl(TTL)).acquire();
    Path started = directory.resolve("started");
    Thread breaker = new Thread(() -> breakAfter(started), "breaker");
    if (lost) {
      breaker.start();
    }
    try (Watchdog watchdog = new Watchdog(watchdogScript, Duration.ofMillis(300), PATH)) {
      Supervisor supervisor = new Supervisor(lease, TTL, watchdog, new StopRequests(), console);
      assertThat(
              supervisor.run(
                  new Child(PATH), List.of("sh", "-c", "echo $$ >'" + started + "'; " + command)))
          .isEqualTo(code);
      assertThat(supervisor.isStoppedForLoss()).as(text()).isEqualTo(stopped);
    }
  }

  private void breakAfter(Path started) {
    Processes.awaitPid(started);
    locks.breakLock("demo");
  }

  private String text() {
    return said.toString(StandardCharsets.UTF_8);
  }
}
