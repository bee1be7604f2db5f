package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.output.ExitCodes;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each bad input gets one line that says what is wrong and what to do, and nothing is lost. */
class BadInputTest {

  private @TempDir Path directory;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "rnu                                  | unknown command 'rnu'; did you mean 'run'?",
        "frobnicate                           | unknown command 'frobnicate'; the commands are: run, elect, acquire,",
        "help rnu                             | unknown command 'rnu'; did you mean 'run'?",
        "run                                  | no NAME given (see holdfast run --help)",
        "run demo                             | no command given; put it after --",
        "run demo true                        | put -- before the command: holdfast run demo -- true",
        "run --ttl 0 demo -- true             | --ttl '0' is too short; at least 1s",
        "run --ttl 30 demo -- true            | --ttl '30' has no unit",
        "run --ttl 900d demo -- true          | is outside what",
        "run --wait -3s demo -- true          | --wait '-3s' is negative",
        "run --wait 3s -n demo -- true        | --wait and --no-wait contradict each other",
        "run --max-hold 5s demo -- true       | --max-hold 5s is shorter than the ttl of 30 s",
        "run --max-hold 1m --min-hold 2m demo -- true  | must not be longer than maxHold",
        "run --store nosuch:x demo -- true    | unknown store URL 'nosuch:x'; it must start with one of",
        "run --store nosuch demo -- true      | unknown store URL 'nosuch'; it must start with one of",
        "run --store=  demo -- true           | --store is blank; give a URL",
        "run --store sqlite: demo -- true     | malformed store URL 'sqlite:'",
        "run --store redis://u:pw@h demo -- true  | put the password in HOLDFAST_STORE_PASSWORD",
        "run -- demo                          | no NAME given",
        "run -- -demo --                      | no command given; put it after --",
        "acquire                              | no NAME given",
        "acquire --ttl 0 demo                 | --ttl '0' is too short; at least 1s",
        "acquire --max-hold 1h demo           | unknown option --max-hold",
        "acquire --export --json demo         | --export and --json contradict each other",
        "renew                                | no handle given; acquire prints one",
        "watch --interval 5ms                 | --interval '5ms' is too short; at least 100ms",
        "watch a b                            | unexpected argument 'b'",
        "verify                               | no PROOF given",
        "verify nonsense                      | that is not a valid proof; run gives one to its command",
        "doctor demo                          | unexpected argument 'demo'",
        "completion                           | no SHELL given",
        "completion tcsh                      | no completion for 'tcsh'; supported shells: bash, zsh, fish",
        "show                                 | no NAME given",
        "show a b                             | unexpected argument 'b'",
        "show --jason a                       | unknown option --jason; did you mean --json?",
        "ls --store nosuch:x                  | unknown store URL",
        "stores extra                         | unexpected argument 'extra'",
        "break demo --yes=1                   | --yes takes no value",
        "break --yes --token 12x demo         | --token '12x' is not a token; holdfast show prints",
        "break --yes --token 0 demo           | --token '0' is not a token"
      })
  void wrong_usage_is_64(String line, String message) {
    refused(ExitCodes.USAGE, message, line.strip().split(" +"));
  }

  @Test
  void a_name_must_be_visible_short_and_unicode() {
    refused(ExitCodes.USAGE, "lock name is blank", "run", "  ", "--", "true");
    refused(ExitCodes.USAGE, "lock name is blank", "show", "");
    refused(
        ExitCodes.USAGE, "has 513 characters; at most 512", "run", "x".repeat(513), "--", "true");
    refused(ExitCodes.USAGE, "surrogate", "run", "a\ud83d", "--", "true");
    refused(ExitCodes.USAGE, "NUL", "run", "a\0b", "--", "true");
    refused(ExitCodes.USAGE, "not valid text", "run", "a\ufffd", "--", "true");
  }

  @Test
  void a_label_must_be_short() {
    refused(
        ExitCodes.USAGE, "at most 128", "run", "--label", "x".repeat(129), "demo", "--", "true");
  }

  @Test
  void a_missing_directory_is_69() {
    refused(
        ExitCodes.STORE_UNREACHABLE,
        "does not exist; create it first",
        run("sqlite:" + directory.resolve("no/such/locks.db")));
  }

  @Test
  void a_directory_where_nothing_can_be_written_is_69() {
    refused(
        ExitCodes.STORE_UNREACHABLE,
        "Cannot use sqlite:/proc/locks.db",
        run("sqlite:/proc/locks.db"));
  }

  @Test
  void a_file_that_is_no_database_is_69_and_stays_as_it_was() throws Exception {
    Path file = directory.resolve("letters.db");
    byte[] letters = "Dear Sir or Madam, ".repeat(500).getBytes(StandardCharsets.UTF_8);
    Files.write(file, letters);
    refused(ExitCodes.STORE_UNREACHABLE, file.toString(), run("sqlite:" + file));
    assertThat(file).hasBinaryContent(letters);
  }

  @Test
  void a_state_directory_that_cannot_be_made_is_69_and_says_what_to_set() {
    refused(
        ExitCodes.STORE_UNREACHABLE,
        "give --store, or set HOLDFAST_STORE or XDG_STATE_HOME",
        Map.of("XDG_STATE_HOME", "/proc/nowhere"),
        "run",
        "demo",
        "--",
        "true");
  }

  @Test
  void no_home_at_all_is_64() {
    refused(ExitCodes.USAGE, "no home directory", Map.of(), "run", "demo", "--", "true");
    refused(
        ExitCodes.USAGE,
        "no home directory",
        Map.of("XDG_STATE_HOME", "relative/is/ignored"),
        "ls");
  }

  @Test
  void a_command_that_is_not_there_is_127() {
    refused(
        ExitCodes.NOT_FOUND,
        "command 'no-such' not found on the PATH",
        "run",
        "demo",
        "--",
        "no-such");
    refused(ExitCodes.NOT_FOUND, "'./no-such' not found;", "run", "demo", "--", "./no-such");
    refused(ExitCodes.NOT_FOUND, "the command is empty", "run", "demo", "--", "");
  }

  @Test
  void breaking_needs_somebody_to_ask_or_a_yes() {
    refused(ExitCodes.USAGE, "add --yes to confirm", "break", "demo");
  }

  @Test
  void a_secret_in_the_environment_is_never_shown() {
    InProcess result =
        InProcess.run(Map.of("HOLDFAST_STORE", "nosuch://user:hunter2@h/?password=hunter3"), "ls");
    assertThat(result.exitCode).isEqualTo(ExitCodes.USAGE);
    assertThat(result.err).contains("unknown store URL").doesNotContain("hunter");
  }

  @Test
  void a_stack_trace_is_shown_only_when_asked_for() {
    InProcess quiet = InProcess.run("show", "--store", "nosuch:x", "demo");
    InProcess verbose = InProcess.run("show", "--verbose", "--store", "nosuch:x", "demo");
    assertThat(quiet.err).doesNotContain("\tat ");
    assertThat(verbose.err).contains("\tat dev.holdfast.");
    assertThat(verbose.exitCode).isEqualTo(quiet.exitCode);
  }

  private static String[] run(String store) {
    return new String[] {"run", "--store", store, "demo", "--", "true"};
  }

  private void refused(int exitCode, String message, String... args) {
    List<String> words = new ArrayList<>(List.of(args));
    String store = "sqlite:" + directory.resolve("locks.db");
    refused(exitCode, message, Map.of("HOLDFAST_STORE", store), words.toArray(String[]::new));
  }

  private void refused(
      int exitCode, String message, Map<String, String> variables, String... args) {
    InProcess result = InProcess.run(variables, args);
    assertThat(result.err).contains(message).startsWith("holdfast: ").hasLineCount(1);
    assertThat(result.exitCode).isEqualTo(exitCode);
    assertThat(result.out).isEmpty();
  }
}
