package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class OnLostTest {

  /** Ends itself as a process does whose lease is lost. */
  static final class Halting {
    private Halting() {}

    public static void main(String[] args) {
      Runtime.getRuntime()
          .addShutdownHook(new Thread(() -> System.out.println("the shutdown hook ran")));
      System.out.println("working");
      System.out.flush();
      try {
        OnLost.halt().run();
      } finally {
        System.out.println("the finally block ran");
      }
    }
  }

  @Test
  void halt_ends_the_process_with_status_76_and_runs_nothing_more() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xshare:auto",
                "-cp",
                place(OnLost.class) + File.pathSeparator + place(OnLostTest.class),
                Halting.class.getName())
            .redirectErrorStream(true)
            .start();
    try {
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isEqualTo(76).isEqualTo(OnLost.HALT_STATUS);
      assertThat(output)
          .contains("working", "The lock is lost: ending this process with status 76")
          .doesNotContain("hook ran", "finally");
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void interrupting_reaches_the_thread_that_asked_for_it() {
    CompletableFuture.runAsync(OnLost.interruptCurrentThread()).join();
    assertThat(Thread.interrupted()).isTrue();
  }

  private static String place(Class<?> type) throws URISyntaxException {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
  }
}
