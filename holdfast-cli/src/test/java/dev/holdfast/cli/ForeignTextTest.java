package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.Mode;
import dev.holdfast.Owner;
import dev.holdfast.Proof;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.watch.ChangeLines;
import dev.holdfast.testkit.HostileText;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whatever another program has written into the store, each line that a command prints is one that
 * the command meant to print, and does nothing to the terminal; JSON still has the text exactly.
 */
class ForeignTextTest {

  private static final long SEED = 20_260_117;
  private static final int ROUNDS = 25;
  private static final ObjectMapper JSON = new ObjectMapper();

  private @TempDir Path directory;

  @Test
  void every_command_shows_hostile_names_owners_and_values_without_harm() throws Exception {
    HostileText texts = new HostileText(SEED);
    Map<String, String> store = Map.of("HOLDFAST_STORE", url());
    try (Holdfast locks = Holdfast.connect(url())) {
      for (int round = 0; round < ROUNDS; round++) {
        String name = "n" + texts.next();
        Lease lease = locks.lock(name).acquire();
        Owner owner = new Owner(texts.next(), 7, texts.next(), texts.next(), texts.next());
        String value = texts.next();
        overwrite(name, owner.encode(), value);
        String proof = new Proof(name, lease.token(), Mode.EXCLUSIVE, owner).toString();
        for (List<String> command : commands(name, proof)) {
          InProcess run = InProcess.run(store, command.toArray(String[]::new));
          assertHarmless(run, "seed " + SEED + ", round " + round + ": " + command);
        }
        for (String line : watched(locks, round % 2 == 0)) {
          assertThat(HostileText.isHarmless(line)).as("watch: %s", line).isTrue();
        }
        InProcess show = InProcess.run(store, "show", "--json", name);
        JsonNode lock = JSON.readTree(show.out);
        assertThat(lock.get("name").textValue()).isEqualTo(name);
        JsonNode holder = lock.get("holders").get(0);
        assertThat(holder.get("value").textValue()).isEqualTo(value);
        assertThat(holder.get("owner").get("label").textValue()).isEqualTo(owner.label());
        assertThat(holder.get("owner").get("host").textValue()).isEqualTo(owner.host());
        assertHarmless(InProcess.run(store, "break", "--yes", name), "break");
      }
    }
  }

  @Test
  void a_label_that_is_a_megabyte_long_takes_no_more_than_a_line() throws Exception {
    Map<String, String> store = Map.of("HOLDFAST_STORE", url());
    try (Holdfast locks = Holdfast.connect(url())) {
      locks.lock("a").acquire();
      overwrite("a", "host;7;thread;client;" + "x".repeat(1_000_000), "y".repeat(1_000_000));
      for (List<String> command : commands("a", "no-proof")) {
        InProcess run = InProcess.run(store, command.toArray(String[]::new));
        assertThat((run.out + run.err).lines())
            .as("%s", command)
            .allSatisfy(line -> assertThat(line).hasSizeLessThan(2_048));
      }
      assertThat(InProcess.run(store, "show", "a").out).contains("xxx… (host host, pid 7)");
    }
  }

  @Test
  void a_trace_shows_hostile_messages_of_a_driver_without_harm() {
    InProcess run = InProcess.run("show", "--verbose", "--store", "test-hostile:", "a");
    assertThat(run.err)
        .contains("\nCaused by: java.lang.IllegalStateException: \\u001b[2J\\u000aholdfast: all")
        .contains("\nSuppressed: java.lang.IllegalStateException: \\u009b31m\\u000aholdfast: still")
        .contains("\n\tat dev.holdfast.");
    assertThat(run.err.lines().filter(line -> line.startsWith("holdfast: "))).hasSize(1);
    assertThat(run.err.lines())
        .allMatch(line -> HostileText.isHarmless(line.startsWith("\tat ") ? line.trim() : line));
  }

  private static List<List<String>> commands(String name, String proof) {
    List<List<String>> commands = new ArrayList<>();
    for (String extra : List.of("--verbose", "--json")) {
      commands.add(List.of("ls", extra));
      commands.add(List.of("show", extra, name));
      commands.add(List.of("acquire", "-n", extra, name));
      commands.add(List.of("verify", extra, proof));
      commands.add(List.of("break", extra, "--yes", "--token", "1", name));
    }
    return commands;
  }

  /** What {@code watch} prints without a terminal. */
  private static List<String> watched(Holdfast locks, boolean json) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Console console =
        new Console(
            InputStream.nullInputStream(),
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8),
            Map.of());
    try (ChangeLines lines = new ChangeLines(console, json)) {
      lines.show(locks.list(""));
    }
    List<String> printed = List.of(out.toString(StandardCharsets.UTF_8).split("\n"));
    assertThat(printed).hasSize(1);
    return printed;
  }

  private static void assertHarmless(InProcess run, String what) {
    List<String> lines = new ArrayList<>(List.of(run.out.split("\n")));
    lines.addAll(List.of(run.err.split("\n")));
    for (String line : lines) {
      String text = line.startsWith("\tat ") ? line.substring(1) : line;
      assertThat(HostileText.isHarmless(text)).as("%s: %s", what, line).isTrue();
    }
  }

  private String url() {
    return "sqlite:" + directory.resolve("locks.db");
  }

  private void overwrite(String name, String owner, String value) throws Exception {
    try (Connection connection =
            DriverManager.getConnection("jdbc:" + url() + "?busy_timeout=20000");
        PreparedStatement update =
            connection.prepareStatement(
                "UPDATE holdfast_lock SET owner = ?, claim_value = ? WHERE name = ?")) {
      update.setString(1, owner);
      update.setString(2, value);
      update.setString(3, name);
      assertThat(update.executeUpdate()).isEqualTo(1);
    }
  }
}
