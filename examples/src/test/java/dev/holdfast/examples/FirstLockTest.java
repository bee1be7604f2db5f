package dev.holdfast.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testkit.JavaProcess;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** README's first sample, run as a reader would run it. */
class FirstLockTest {

  private static final String SAID = "posting invoice 42 with token ";

  @Test
  void each_run_of_the_first_sample_posts_with_a_greater_token(@TempDir Path folder) {
    String url = "sqlite:" + folder.resolve("locks.db");
    long first = tokenOfARun(url);
    assertThat(tokenOfARun(url)).isGreaterThan(first);
  }

  private static long tokenOfARun(String url) {
    try (JavaProcess program = JavaProcess.start(FirstLock.class, Map.of(), url)) {
      long token = Long.parseLong(program.await(SAID).substring(SAID.length()));
      assertThat(program.awaitEnd()).as("exit status").isZero();
      return token;
    }
  }
}
