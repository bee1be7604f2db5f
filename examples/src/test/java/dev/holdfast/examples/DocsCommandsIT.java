package dev.holdfast.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the commands of the documentation as a reader would, from the project's root, with separate
 * locks.
 *
 * <p>A shell block below {@code <!-- run -->} must succeed; below {@code <!-- run, exits with 75
 * -->} it must end with that code. A text block below {@code <!-- output -->} is all that the block
 * before it prints, on both streams, where {@code …} stands for anything within a line.
 */
class DocsCommandsIT {

  private static final Pattern RUN = Pattern.compile("run(?:, exits with (\\d+))?");

  @TempDir static Path state;

  /** What the commands leave in the project's root: they are run there, like a reader's. */
  @BeforeAll
  @AfterAll
  static void removeFiles() throws IOException {
    for (String name : List.of("prices.csv", "prices.csv.fence", "prices.csv.fence.lock")) {
      Files.deleteIfExists(Repository.root().resolve(name));
    }
  }

  @BeforeAll
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  static void build_and_hear_what_is_said_once() throws Exception {
    Ended first = run("./holdfast run warm-up -- true");
    assertThat(first.code).as(first.output).isZero();
  }

  @TestFactory
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  Stream<DynamicTest> commands_do_what_the_documentation_says() {
    List<DynamicTest> tests = new ArrayList<>();
    for (Path document : Repository.documents()) {
      List<CodeBlock> blocks = CodeBlock.of(Repository.name(document), Repository.read(document));
      for (int i = 0; i < blocks.size(); i++) {
        CodeBlock block = blocks.get(i);
        Matcher run = RUN.matcher(block.marker());
        if (run.matches()) {
          int code = run.group(1) == null ? 0 : Integer.parseInt(run.group(1));
          String shown = i + 1 < blocks.size() ? output(blocks.get(i + 1)) : "";
          tests.add(DynamicTest.dynamicTest(block.place(), () -> check(block, code, shown)));
        }
      }
    }
    assertThat(tests).isNotEmpty();
    return tests.stream();
  }

  private static String output(CodeBlock block) {
    return block.marker().equals("output") ? block.text().strip() : "";
  }

  private static void check(CodeBlock block, int code, String shown) throws Exception {
    Ended ended = run(block.text());
    assertThat(ended.code).as(block.text() + "\n" + ended.output).isEqualTo(code);
    if (!shown.isEmpty()) {
      assertThat(ended.output.strip()).as(block.text()).matches(pattern(shown));
    }
  }

  private static Pattern pattern(String shown) {
    return Pattern.compile(
        Stream.of(shown.split("…", -1)).map(Pattern::quote).collect(Collectors.joining(".*")));
  }

  private static Ended run(String script) throws IOException, InterruptedException {
    Path output = Files.createTempFile(state, "output", ".txt");
    ProcessBuilder builder =
        new ProcessBuilder("bash", "-e", "-c", script)
            .directory(Repository.root().toFile())
            .redirectInput(Path.of("/dev/null").toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().put("XDG_STATE_HOME", state.toString());
    builder.environment().put("XDG_CONFIG_HOME", state.resolve("config").toString());
    builder.environment().keySet().removeIf(name -> name.startsWith("HOLDFAST_"));
    Process process = builder.start();
    try {
      assertThat(process.waitFor(10, TimeUnit.MINUTES)).as(script + " ends").isTrue();
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
    return new Ended(process.exitValue(), Files.readString(output, StandardCharsets.UTF_8));
  }

  private record Ended(int code, String output) {}
}
