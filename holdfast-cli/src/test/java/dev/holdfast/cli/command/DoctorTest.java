package dev.holdfast.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.cli.InProcess;
import dev.holdfast.cli.output.ExitCodes;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DoctorTest {

  private @TempDir Path directory;

  @Test
  void a_healthy_store_is_called_fine_and_is_left_as_it_was() {
    String url = "sqlite:" + directory.resolve("locks.db");
    InProcess doctor = InProcess.run(Map.of("HOLDFAST_STORE", url), "doctor");
    assertThat(doctor.exitCode).as(doctor.err).isZero();
    assertThat(doctor.out)
        .contains("store      " + url)
        .containsPattern("reachable  yes, in [0-9.]+ ms for a round trip")
        .containsPattern("lock       acquired and released in [0-9.]+ ms")
        .contains("promises   no acknowledged grant is lost")
        .contains("fine       found nothing that endangers locks");
    try (Holdfast locks = Holdfast.connect(url)) {
      assertThat(locks.list("")).isEmpty();
    }
  }

  @Test
  void dangers_come_first_and_make_it_exit_with_1() {
    InProcess doctor = InProcess.run(Map.of("HOLDFAST_STORE", "test-sick:"), "doctor");
    assertThat(doctor.exitCode).isEqualTo(ExitCodes.NO);
    assertThat(doctor.out)
        .containsSubsequence(
            "danger     keys are evicted; set maxmemory-policy noeviction",
            "warning    after a failure of the store two holders are possible",
            "warning    the clocks are far apart",
            "ok         it is a test")
        .containsPattern("clock      59 min|60 min ahead of this host's")
        .doesNotContain("fine ");
  }

  @Test
  void a_store_for_one_process_only_is_a_danger() {
    InProcess doctor = InProcess.run(Map.of("HOLDFAST_STORE", "memory:"), "doctor");
    assertThat(doctor.exitCode).isEqualTo(ExitCodes.NO);
    assertThat(doctor.out)
        .contains("danger     this store works within one process")
        .containsPattern("clock      (the same as|.* (ahead of|behind)) this host's, give or take");
  }

  @Test
  void a_store_that_cannot_be_reached_is_69() {
    String url = "sqlite:" + directory.resolve("no/such.db");
    InProcess doctor = InProcess.run(Map.of("HOLDFAST_STORE", url), "doctor", "--json");
    assertThat(doctor.exitCode).isEqualTo(ExitCodes.STORE_UNREACHABLE);
    assertThat(doctor.out).isEqualTo("{\"store\":\"" + url + "\",\"reachable\":false}\n");
    assertThat(doctor.err).contains("does not exist; create it first").hasLineCount(1);
  }
}
