package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.MUTEX;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Lease;
import dev.holdfast.engine.SilentStore.Manner;
import dev.holdfast.engine.SilentStore.Verb;
import dev.holdfast.spi.LockStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a flight recording shows of the locks. */
class FlightRecorderTest {

  private static final List<String> ALL =
      List.of(
          "dev.holdfast.Wait", "dev.holdfast.Hold", "dev.holdfast.Refresh", "dev.holdfast.Loss");

  @TempDir Path directory;

  /** The events of this kind that a recording has after the scene was played. */
  private List<RecordedEvent> record(String kind, Play play) throws Exception {
    try (Recording recording = new Recording();
        Scene scene = Scene.plain()) {
      ALL.forEach(name -> recording.enable(name).withoutThreshold());
      recording.start();
      play.on(scene);
      recording.stop();
      Path file = Files.createTempFile(directory, "recording", ".jfr");
      recording.dump(file);
      return events(file, kind);
    }
  }

  private static List<RecordedEvent> events(Path file, String kind) throws IOException {
    return RecordingFile.readAllEvents(file).stream()
        .filter(event -> event.getEventType().getName().equals(kind))
        .toList();
  }

  private interface Play {
    void on(Scene scene) throws Exception;
  }

  @Test
  void a_wait_has_the_lock_and_its_outcome() throws Exception {
    List<RecordedEvent> waits =
        record(
            "dev.holdfast.Wait",
            scene -> {
              scene.request("x", MUTEX).join();
              scene.engine.acquireAsync("tried", MUTEX, 0).join();
              scene.engine.acquireAsync("tried", MUTEX, 0).join();
              scene.engine.acquireAsync("x", MUTEX, ofSeconds(1).toNanos());
              scene.advance(ofSeconds(1));
              scene.request("x", MUTEX).cancel(false);
              scene.faults.set(Verb.JOIN, Manner.FAILS);
              scene.request("silent", MUTEX);
            });
    assertThat(waits)
        .extracting(event -> event.getString("lock") + " " + event.getString("outcome"))
        .containsExactlyInAnyOrder(
            "x granted",
            "tried granted",
            "tried busy",
            "x timeout",
            "x cancelled",
            "silent unknown");
    assertThat(waits).noneMatch(event -> event.getDuration("waited").isNegative());
  }

  @Test
  void a_hold_has_the_lock_the_token_and_its_end() throws Exception {
    long[] tokens = new long[2];
    List<RecordedEvent> holds =
        record(
            "dev.holdfast.Hold",
            scene -> {
              Lease released = scene.request("x", MUTEX).join();
              tokens[0] = released.token();
              released.close();
              tokens[1] = scene.request("y", MUTEX).join().token();
              scene.otherClient().evict("y", LockStore.ANY_TOKEN);
              scene.advance(ofSeconds(10));
            });
    assertThat(holds)
        .extracting(
            event ->
                event.getString("lock")
                    + " "
                    + event.getLong("token")
                    + " "
                    + event.getString("end"))
        .containsExactlyInAnyOrder("x " + tokens[0] + " released", "y " + tokens[1] + " lost");
  }

  @Test
  void a_refresh_has_the_number_of_claims_and_of_those_without_answer() throws Exception {
    List<RecordedEvent> refreshes =
        record(
            "dev.holdfast.Refresh",
            scene -> {
              scene.request("x", MUTEX).join();
              scene.request("y", MUTEX).join();
              scene.advance(ofSeconds(10));
              scene.faults.set(Verb.REFRESH, Manner.FAILS);
              scene.advance(ofSeconds(10));
            });
    assertThat(refreshes)
        .extracting(event -> event.getInt("claims") + " " + event.getInt("unknown"))
        .containsExactly("2 0", "2 2");
  }

  @Test
  void a_loss_has_the_lock_the_token_and_the_reason() throws Exception {
    long[] token = new long[1];
    List<RecordedEvent> losses =
        record(
            "dev.holdfast.Loss",
            scene -> {
              token[0] = scene.request("x", MUTEX).join().token();
              scene.faults.set(Verb.REFRESH, Manner.IGNORES);
              scene.advance(ofSeconds(30));
            });
    assertThat(losses).hasSize(1);
    assertThat(losses.get(0).getString("lock")).isEqualTo("x");
    assertThat(losses.get(0).getLong("token")).isEqualTo(token[0]);
    assertThat(losses.get(0).getString("reason")).isEqualTo("it was not confirmed in time");
  }

  @Test
  void no_event_has_a_field_for_the_claim() throws Exception {
    String[] id = new String[1];
    try (Recording recording = new Recording();
        Scene scene = Scene.plain()) {
      ALL.forEach(name -> recording.enable(name).withoutThreshold());
      recording.start();
      scene.request("x", MUTEX).join();
      scene.advance(ofSeconds(10));
      scene.otherClient().evict("x", LockStore.ANY_TOKEN);
      scene.advance(ofSeconds(10));
      id[0] = scene.store.joins.get(0).id();
      recording.stop();
      Path file = Files.createTempFile(directory, "recording", ".jfr");
      recording.dump(file);
      assertThat(RecordingFile.readAllEvents(file))
          .isNotEmpty()
          .noneMatch(event -> event.toString().contains(id[0]));
    }
  }
}
