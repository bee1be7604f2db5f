package dev.holdfast.examples.paused;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.testkit.JavaProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a guard is for. A process that holds many leases is stopped in its tracks for longer than
 * their ttl; another takes over and enters; the first wakes up and writes on. The locks are in an
 * SQLite file, because it makes no difference to the guard where they are.
 */
abstract class PausedProcessContract {

  private static final Duration TTL = Duration.ofSeconds(6);

  @TempDir Path folder;

  /** The guard that is tested. */
  abstract Guard guard();

  /** Where the resource is, made ready. */
  abstract String address(String store) throws Exception;

  @Test
  void nothing_of_a_paused_holder_is_written_once_its_successor_has_entered() throws Exception {
    String store = "sqlite:" + folder.resolve("locks.db");
    String address = address(store);
    try (JavaProcess paused = start(store, address);
        Holdfast locks = Holdfast.connect(store);
        Guarded resource = guard().open(address)) {
      paused.await("ready");
      paused.say("second");
      assertThat(paused.await("accepted")).startsWith("accepted 100, ");

      paused.pause();
      List<Lease> successors = takeOver(locks);
      for (Lease lease : successors) {
        resource.enter(lease.proof());
      }
      List<String> read = contents(resource);
      paused.say("stale"); // it reads this when it wakes up, before it notices any loss
      paused.resume();

      assertThat(paused.await("accepted")).isEqualTo("accepted 0, valid 0");
      assertThat(contents(resource)).isEqualTo(read).containsOnly("second");
      for (Lease lease : successors) {
        resource.write(lease.proof(), "third");
      }
      paused.say("stale");
      assertThat(paused.await("accepted")).isEqualTo("accepted 0, valid 0");
      assertThat(contents(resource)).hasSize(100).containsOnly("third");
    }
  }

  private JavaProcess start(String store, String address) {
    return JavaProcess.start(
        PausedWriter.class,
        Map.of(PausedWriter.STORE, store, PausedWriter.RESOURCE, address),
        guard().name(),
        Long.toString(TTL.toMillis()));
  }

  private static List<Lease> takeOver(Holdfast locks) throws Exception {
    List<CompletableFuture<Lease>> waiting = new ArrayList<>();
    for (String name : PausedWriter.locks()) {
      waiting.add(locks.lock(name).acquireAsync());
    }
    List<Lease> leases = new ArrayList<>();
    for (CompletableFuture<Lease> lease : waiting) {
      leases.add(lease.get(60, TimeUnit.SECONDS));
    }
    return leases;
  }

  private static List<String> contents(Guarded resource) throws Exception {
    List<String> contents = new ArrayList<>();
    for (String name : PausedWriter.locks()) {
      contents.add(resource.read(name));
    }
    return contents;
  }
}
