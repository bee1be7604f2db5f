package dev.holdfast.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Mode;
import dev.holdfast.Owner;
import dev.holdfast.Proof;
import dev.holdfast.cli.InProcess;
import dev.holdfast.cli.output.ExitCodes;
import dev.holdfast.fence.FileFence;
import dev.holdfast.jdbc.JdbcFence;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FenceCommandTest {

  @TempDir Path folder;
  private Path data;

  @BeforeEach
  void guardAFile() throws Exception {
    data = Files.writeString(folder.toRealPath().resolve("prices.csv"), "a;1");
    FileFence.beside(data).enter(proof(7));
  }

  @Test
  void a_fence_beside_a_file_is_shown_and_reset() {
    assertThat(fence("show", "prices").out).isEqualTo("the fence of 'prices' is at 7\n");
    assertThat(fence("show", "other").out).isEqualTo("the fence of 'other' has seen no token\n");
    assertThat(fence("reset", "--yes", "--to", "5", "prices").out)
        .isEqualTo("the fence of 'prices' was at 7 and is now at 5\n");
    assertThat(FileFence.beside(data).current("prices")).isEqualTo(5);
    assertThat(fence("reset", "-y", "prices").out)
        .isEqualTo("the fence of 'prices' was at 5 and is now at 0\n");
  }

  @Test
  void programs_read_json() {
    assertThat(fence("show", "--json", "prices").out)
        .isEqualTo("{\"name\":\"prices\",\"was\":\"7\",\"token\":\"7\"}\n");
    assertThat(fence("reset", "--yes", "--json", "--to", "9", "prices").out)
        .isEqualTo("{\"name\":\"prices\",\"was\":\"7\",\"token\":\"9\"}\n");
  }

  @Test
  void a_damaged_fence_is_named_and_mended() throws Exception {
    Path tokens =
        Files.writeString(folder.resolve("prices.csv.fence"), "holdfast-fence 1\n-5 prices\n");
    InProcess shown = fence("show", "prices");
    assertThat(shown.exitCode).isEqualTo(ExitCodes.STORE_UNREACHABLE);
    assertThat(shown.err).contains("prices.csv.fence holds '-5'").contains("holdfast fence reset");
    InProcess reset = fence("reset", "--yes", "--json", "--to", "8", "prices");
    assertThat(reset.exitCode).as(reset.err).isZero();
    assertThat(reset.out).isEqualTo("{\"name\":\"prices\",\"was\":null,\"token\":\"8\"}\n");
    assertThat(tokens).hasContent("holdfast-fence 1\n8 prices\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "x", "", "1.5", "2305843009213693953", "9223372036854775807"})
  void an_absurd_token_is_refused(String token) {
    InProcess reset = fence("reset", "--yes", "--to", token, "prices");
    assertThat(reset.exitCode).isEqualTo(ExitCodes.USAGE);
    assertThat(reset.err).contains("--to").contains("2305843009213693952");
    assertThat(FileFence.beside(data).current("prices")).isEqualTo(7);
  }

  @Test
  void without_a_terminal_to_ask_on_yes_is_required() {
    InProcess reset = fence("reset", "prices");
    assertThat(reset.exitCode).isEqualTo(ExitCodes.USAGE);
    assertThat(reset.err).contains("--yes");
    assertThat(FileFence.beside(data).current("prices")).isEqualTo(7);
  }

  @Test
  void the_fence_in_the_stores_database_is_found() throws Exception {
    String file = folder.resolve("locks.db").toString();
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file)) {
      JdbcFence.prepare(connection);
    }
    Map<String, String> store = Map.of("HOLDFAST_STORE", "sqlite:" + file);
    InProcess reset = InProcess.run(store, "fence", "reset", "--yes", "--to", "9", "orders");
    assertThat(reset.out).as(reset.err).contains("is now at 9");
    assertThat(InProcess.run(store, "fence", "show", "orders").out).contains("is at 9");
    try (Holdfast locks = Holdfast.connect("sqlite:" + file)) {
      assertThat(locks.fence().current("orders")).isEqualTo(9);
    }
  }

  @Test
  void a_store_without_fences_says_so() {
    InProcess shown = InProcess.run(Map.of("HOLDFAST_STORE", "memory:"), "fence", "show", "orders");
    assertThat(shown.exitCode).isEqualTo(ExitCodes.USAGE);
    assertThat(shown.err).contains("memory:").contains("keeps no fences");
  }

  @Test
  void what_makes_no_sense_is_refused() {
    usage("holdfast fence needs show or reset as its first argument", "fence");
    usage("holdfast fence needs show or reset as its first argument", "fence", "remove", "prices");
    usage("no NAME given", "fence", "show");
    usage("unexpected argument 'b'", "fence", "show", "a", "b");
    usage("--to goes with", "fence", "show", "--to", "5", "a");
    usage(
        "--file and --store exclude each other",
        "fence",
        "show",
        "--store",
        "memory:",
        "--file",
        "x",
        "a");
    usage("'nowhere' does not exist", "fence", "show", "--file", "nowhere", "a");
  }

  private static void usage(String says, String... words) {
    InProcess result = InProcess.run(words);
    assertThat(result.exitCode).isEqualTo(ExitCodes.USAGE);
    assertThat(result.err).contains(says);
  }

  private InProcess fence(String action, String... rest) {
    String[] words = new String[rest.length + 4];
    words[0] = "fence";
    words[1] = action;
    words[2] = "--file";
    words[3] = data.toString();
    System.arraycopy(rest, 0, words, 4, rest.length);
    return InProcess.run(words);
  }

  private static Proof proof(long token) {
    return new Proof("prices", token, Mode.EXCLUSIVE, new Owner("host", 1, "main", "client", ""));
  }
}
