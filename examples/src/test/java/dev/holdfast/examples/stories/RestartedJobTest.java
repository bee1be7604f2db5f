package dev.holdfast.examples.stories;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.OnLost;
import dev.holdfast.testkit.JavaProcess;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RestartedJobTest {

  @TempDir Path folder;

  @Test
  void a_job_ends_when_its_lock_is_lost_and_works_again_when_it_is_restarted() {
    String store = "sqlite:" + folder.resolve("locks.db");
    try (Holdfast operator = Holdfast.connect(store)) {
      long first;
      try (JavaProcess job = start(store)) {
        first = token(job);
        operator.breakLock("report-job");
        assertThat(job.awaitEnd()).isEqualTo(OnLost.HALT_STATUS);
      }
      try (JavaProcess restarted = start(store)) {
        assertThat(token(restarted)).isGreaterThan(first);
      }
    }
  }

  private static JavaProcess start(String store) {
    return JavaProcess.start(RestartedJob.class, Map.of("HOLDFAST_STORE", store));
  }

  private static long token(JavaProcess job) {
    String said = job.await("working with token ");
    return Long.parseLong(said.substring("working with token ".length()));
  }
}
