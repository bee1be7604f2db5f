package dev.holdfast.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.Registration;
import dev.holdfast.cli.config.ProofKeys;
import dev.holdfast.cli.lock.HeldLease;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.ExitCodes;
import dev.holdfast.cli.output.Resources;
import dev.holdfast.cli.signal.Signals;
import dev.holdfast.cli.signal.StopRequests;
import dev.holdfast.memory.MemoryLockStore;
import dev.holdfast.spi.Ticker;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
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
  private static final ProofKeys NO_KEYS = new ProofKeys(List.of());
  private static final String PATH = System.getenv("PATH");

  /** Stops the command, but is killed before it can say that all of it has ended. */
  private static final String MORTAL =
      "read -r root; while read -r order; do case $order in"
          + " stop) kill -s KILL \"$root\"; kill -s KILL $$ ;; done) exit 0 ;; esac; done";

  @TempDir private Path directory;
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
    assertEnd(Resources.text("watchdog.sh"), true, "exec sleep 1000", ExitCodes.LOST, true);
    assertThat(text()).contains("was lost and the command was stopped");
  }

  @Test
  void not_one_that_ends_by_itself_with_the_code_of_a_loss() throws Exception {
    assertEnd(Resources.text("watchdog.sh"), false, "exit 76", ExitCodes.LOST, false);
  }

  @Test
  void not_one_of_which_something_may_still_run() throws Exception {
    assertEnd(MORTAL, true, "exec sleep 1000", ExitCodes.LOST, false);
    assertThat(text()).contains("may still run");
  }

  @Test
  void not_one_that_had_ended_by_itself_when_the_loss_was_seen() throws Exception {
    Path asleep = directory.resolve("asleep");
    LockOptions options = LockOptions.defaults().ttl(Duration.ofMinutes(5)); // few beats
    try (Ticker ticker = new SleepyTicker(asleep);
        Holdfast sleepy =
            Holdfast.builder().store(new MemoryLockStore(ticker)).ticker(ticker).build();
        Lease lease = sleepy.lock("demo", options).acquire();
        Watchdog watchdog = new Watchdog(Duration.ofMillis(300), PATH)) {
      Supervisor supervisor =
          new Supervisor(
              HeldLease.of(lease), options.ttl(), watchdog, new StopRequests(), NO_KEYS, console);
      List<String> command = List.of("sh", "-c", "exec touch " + asleep);
      assertThat(supervisor.run(new Child(PATH, null), command)).isEqualTo(ExitCodes.LOST);
      assertThat(supervisor.isStoppedForLoss()).as(text()).isFalse();
      assertThat(text()).contains("before the command ended (exit code 0)");
    }
  }

  /** The time of a machine that has slept for an hour once a file is there. */
  private static final class SleepyTicker implements Ticker {
    private final Ticker system = Ticker.system("sleepy");
    private final Path asleep;

    SleepyTicker(Path asleep) {
      this.asleep = asleep;
    }

    private Duration slept() {
      return Files.exists(asleep) ? Duration.ofHours(1) : Duration.ZERO;
    }

    @Override
    public long nanoTime() {
      return system.nanoTime() + slept().toNanos();
    }

    @Override
    public long wallMicros() {
      return system.wallMicros() + slept().toMillis() * 1000;
    }

    @Override
    public Registration schedule(Duration delay, Runnable task) {
      return system.schedule(delay, task);
    }

    @Override
    public void close() {
      system.close();
    }
  }

  @Test
  void the_interrupt_key_asks_for_the_end_once_the_lease_is_lost() throws Exception {
    Lease lease = locks.lock("demo", LockOptions.defaults().ttl(TTL)).acquire();
    try (Watchdog watchdog = new Watchdog(Duration.ofMillis(300), PATH)) {
      Supervisor supervisor =
          new Supervisor(HeldLease.of(lease), TTL, watchdog, new StopRequests(), NO_KEYS, console);
      Signals.Handler handler = supervisor.passOn(true);
      handler.received("INT", 2);
      assertThat(supervisor.isAskedToStop()).as("the command may have its own use").isFalse();
      lease.close();
      handler.received("INT", 2);
      assertThat(supervisor.isAskedToStop()).isTrue();
    }
  }

  private void assertEnd(
      String watchdogScript, boolean lost, String command, int code, boolean stopped)
      throws Exception {
    Lease lease = locks.lock("demo", LockOptions.defaults().ttl(TTL)).acquire();
    Path started = directory.resolve("started");
    if (lost) {
      Thread breaker = new Thread(() -> breakOnceThereIs(started), "breaker");
      breaker.start();
    }
    try (Watchdog watchdog = new Watchdog(watchdogScript, Duration.ofMillis(300), PATH)) {
      Supervisor supervisor =
          new Supervisor(HeldLease.of(lease), TTL, watchdog, new StopRequests(), NO_KEYS, console);
      assertThat(supervisor.run(new Child(PATH, null), script(started, command))).isEqualTo(code);
      assertThat(supervisor.isStoppedForLoss()).as(text()).isEqualTo(stopped);
    }
  }

  private static List<String> script(Path started, String command) {
    return List.of("sh", "-c", "touch " + started + "; " + command);
  }

  private void breakOnceThereIs(Path started) {
    await().until(() -> Files.exists(started));
    locks.breakLock("demo");
  }

  private String text() {
    return said.toString(StandardCharsets.UTF_8);
  }
}
