package dev.holdfast.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.InProcess;
import dev.holdfast.cli.run.Executable;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The completion scripts, in the shells themselves where there are such. */
class CompletionTest {

  private @TempDir Path directory;

  @Test
  void bash_completes_commands_options_and_files() throws Exception {
    Files.createFile(directory.resolve("secret.txt"));
    assertThat(bash("holdfast", "")).containsExactlyInAnyOrderElementsOf(Commands.NAMES);
    assertThat(bash("holdfast", "re")).containsExactlyInAnyOrder("renew", "release");
    assertThat(bash("holdfast", "run", "--m"))
        .containsExactlyInAnyOrder("--max-hold", "--min-hold");
    assertThat(bash("holdfast", "show", "--m")).isEmpty();
    assertThat(bash("holdfast", "help", "ver")).containsExactlyInAnyOrder("verify", "version");
    assertThat(bash("holdfast", "completion", "")).contains("bash", "zsh", "fish");
    assertThat(bash("holdfast", "ls", "--password-file", "sec")).containsExactly("secret.txt");
    assertThat(bash("holdfast", "run", "--ttl", "")).isEmpty();
  }

  @Test
  void bash_completes_the_users_own_command_after_the_dashes() throws Exception {
    assertThat(bash("holdfast", "run", "demo", "--", "mkf")).contains("mkfifo");
    Files.createFile(directory.resolve("report.sh"));
    assertThat(bash("holdfast", "run", "demo", "--", "sh", "rep")).containsExactly("report.sh");
  }

  /** Every shell of this machine reads its script without complaint. */
  @TestFactory
  Stream<DynamicTest> a_shell_understands_its_script() {
    return Stream.of("bash", "zsh", "fish")
        .filter(shell -> Executable.find(shell, System.getenv("PATH")) != null)
        .map(shell -> DynamicTest.dynamicTest(shell, () -> understands(shell)));
  }

  /** Fish, where there is one, can be asked what it would offer. */
  @TestFactory
  Stream<DynamicTest> fish_completes_commands_options_and_the_users_own_command() {
    return Stream.of("fish")
        .filter(shell -> Executable.find(shell, System.getenv("PATH")) != null)
        .map(shell -> DynamicTest.dynamicTest(shell, this::fishCompletes));
  }

  private void fishCompletes() throws Exception {
    assertThat(fish("holdfast re")).contains("renew", "release");
    assertThat(fish("holdfast run --m")).contains("--max-hold", "--min-hold");
    assertThat(fish("holdfast run demo -- mkf")).contains("mkfifo");
  }

  @Test
  void every_script_names_every_command_and_its_options() {
    for (String shell : List.of("bash", "zsh", "fish")) {
      String script = InProcess.run("completion", shell).out;
      assertThat(script)
          .contains(Commands.NAMES)
          .doesNotContain("@COMMANDS", "@OPTIONS", "@VALUED");
      assertThat(script).contains("no-wait", "handle-file", "interval");
    }
  }

  private void understands(String shell) throws Exception {
    Path script = directory.resolve("script");
    Files.writeString(script, InProcess.run("completion", shell).out);
    Process check = new ProcessBuilder(shell, "-n", script.toString()).start();
    String said = new String(check.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(check.waitFor()).as(said).isZero();
    assertThat(said).isEmpty();
  }

  private String fish(String line) throws Exception {
    String script = InProcess.run("completion", "fish").out + "complete -C '" + line + "'\n";
    Process fish = new ProcessBuilder("fish", "--no-config", "-c", script).start();
    return new String(fish.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  /** What bash offers when the tab key is hit at the end of these words. */
  private List<String> bash(String... words) throws Exception {
    StringBuilder line = new StringBuilder("COMP_WORDS=(");
    for (String word : words) {
      line.append('\'').append(word).append("' ");
    }
    line.append(") COMP_CWORD=").append(words.length - 1);
    String script =
        InProcess.run("completion", "bash").out
            + line
            + "\n_holdfast\n((${#COMPREPLY[@]})) && printf '%s\\n' \"${COMPREPLY[@]}\"\n";
    Process bash =
        new ProcessBuilder("bash", "--norc", "-c", script).directory(directory.toFile()).start();
    String errors = new String(bash.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(errors).isEmpty();
    return new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
        .lines()
        .toList();
  }
}
