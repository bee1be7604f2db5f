package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Finding;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockException;
import dev.holdfast.cli.output.ExitCodes;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whatever the URL, and wherever the secret is in it: no message, trace, log line, text of an
 * object, JSON or event of the flight recorder shows a part of it.
 */
class SecretUrlsIT {

  private static final Duration PATIENCE = Duration.ofMillis(200);

  private static final Set<String> PATIENT =
      Set.of(
          "zookeeper",
          "zookeepers",
          "etcd",
          "etcds",
          "memcached",
          "memcacheds",
          "consul",
          "consuls",
          "redlock");

  @TempDir private Path directory;
  private final List<String> leaks = new ArrayList<>();

  @Test
  void there_are_many_for_every_store() {
    Map<String, Integer> counts = new TreeMap<>();
    SecretUrl.all().forEach(url -> counts.merge(url.store(), 1, Integer::sum));

    assertThat(counts.values()).as("URLs by store: %s", counts).allMatch(count -> count >= 16);
    assertThat(SecretUrl.all()).hasSizeGreaterThan(1_300);
  }

  @Test
  void the_library_tells_no_part_of_a_secret() throws IOException {
    try (VisibleOutput told = new VisibleOutput();
        Recording recording = new Recording()) {
      for (String event : List.of("Wait", "Hold", "Loss", "Refresh")) {
        recording.enable("dev.holdfast." + event);
      }
      recording.start();
      for (SecretUrl url : SecretUrl.all()) {
        use(url, told);
        look(told.text(), url);
      }
      Path file = directory.resolve("events.jfr");
      recording.dump(file);
      List<RecordedEvent> events = RecordingFile.readAllEvents(file);
      assertThat(events).isNotEmpty();
      String text = events.toString();
      SecretUrl.SECRETS.forEach(secret -> leaks.addAll(VisibleOutput.leaks(text, secret)));
      assertThat(leaks).isEmpty();
    }
  }

  @Test
  void the_command_line_tells_no_part_of_a_secret() {
    List<SecretUrl> all = SecretUrl.all();
    for (int i = 0; i < all.size(); i += 3) { // a third is enough: what it adds is its own output
      SecretUrl url = all.get(i);
      if (PATIENT.contains(url.store()) && isWellFormed(url)) {
        continue; // it would try for as long as a command waits
      }
      Map<String, String> variables = new HashMap<>();
      variables.put("HOLDFAST_STORE", url.url());
      if (!url.beside().isEmpty()) {
        variables.put("HOLDFAST_STORE_USER", "app");
        variables.put("HOLDFAST_STORE_PASSWORD", url.beside());
      }
      InProcess result = InProcess.run(variables, "doctor", "--json", "--verbose");
      look(result.out + result.err, url);
      assertThat(result.exitCode).as("%s: %s", url, result.err).isNotEqualTo(ExitCodes.INTERNAL);
      if (url.beside().isEmpty()) {
        InProcess argument = InProcess.run(Map.of(), "ls", "--store", url.url());
        look(argument.out + argument.err, url);
        assertThat(argument.err).as("%s", url).contains("--store holds a password");
      }
    }
    assertThat(leaks).isEmpty();
  }

  private void look(String text, SecretUrl url) {
    VisibleOutput.leaks(text, url.secret()).forEach(leak -> leaks.add(url + " shows: " + leak));
  }

  private static boolean isWellFormed(SecretUrl url) {
    try (Holdfast client = builder(url).build()) {
      return true;
    } catch (IllegalArgumentException malformed) {
      return false;
    } catch (LockException unreachable) {
      return true;
    }
  }

  private static void use(SecretUrl url, VisibleOutput told) {
    try (Holdfast client = builder(url).build()) {
      told.tell(client);
      told.tell(client.traits());
      told.tell(client.lock("orders"));
      try (Lease lease = client.lock("orders").acquire(PATIENCE)) {
        told.tell(lease);
        told.tell(lease.proof());
      }
      client.diagnose().findings().stream().map(Finding::message).forEach(told::tell);
      told.tell(client.inspect("orders"));
    } catch (LockException | IllegalArgumentException e) {
      told.tell(e);
      assertThat(e.getMessage()).as("%s", url).isNotBlank();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static Holdfast.Builder builder(SecretUrl url) {
    Holdfast.Builder builder = Holdfast.builder().store(url.url()).operationTimeout(PATIENCE);
    return url.beside().isEmpty() ? builder : builder.credentials("app", url.beside());
  }
}
