package dev.holdfast.torture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import dev.holdfast.testkit.promise.Promise;
import dev.holdfast.torture.judge.Verdict;
import dev.holdfast.torture.report.Report;
import dev.holdfast.torture.report.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Half a minute of faults on two stores, and two faults of the workers that must be found. Promises
 * whose bounds depend on how fast the machine is are not asserted.
 */
@Timeout(value = 12, unit = TimeUnit.MINUTES)
class TortureIT {

  @TempDir Path folder;

  @Test
  @NeedsServer(value = Server.POSTGRESQL, ofItsOwn = true)
  void every_judged_promise_holds_on_postgresql() throws Exception {
    heldOn("postgresql", "4711");
  }

  @Test
  @NeedsServer(value = Server.REDIS_WITH_CLOCK, ofItsOwn = true)
  void every_judged_promise_holds_on_redis() throws Exception {
    heldOn("redis", "4712");
  }

  @Test
  @NeedsServer(value = Server.REDIS_WITH_CLOCK, ofItsOwn = true)
  void a_worker_that_writes_without_the_fence_is_found() throws Exception {
    assertThat(broken(planted("unfenced"))).contains(Promise.NO_STALE_WRITE);
  }

  @Test
  @NeedsServer(value = Server.REDIS_WITH_CLOCK, ofItsOwn = true)
  void a_worker_that_takes_its_leases_for_valid_too_long_is_found() throws Exception {
    assertThat(broken(planted("long_validity"))).contains(Promise.EXCLUSION);
  }

  private void heldOn(String store, String seed) throws Exception {
    int status = run("--store=" + store, "--minutes=0.5", "--seed=" + seed);
    Result result = Result.read(folder.resolve(store).resolve(Report.RESULT));
    assertThat(result.problems()).isEmpty();
    assertThat(result.promises()).filteredOn(Predicate.not(Verdict::passes)).isEmpty();
    assertThat(status).isZero();
    assertThat(result.allFaults()).isPositive();
    assertThat(result.allGrants()).isPositive();
    assertThat(Files.readString(folder.resolve(store).resolve("report.md")))
        .contains("all held", "--seed " + seed);
    assertThat(folder.resolve(store).resolve("timeline-01.svg")).isNotEmptyFile();
  }

  private Result planted(String plant) throws Exception {
    int status = run("--store=redis", "--minutes=0.5", "--seed=1", "--plant=" + plant);
    assertThat(status).isEqualTo(1);
    return Result.read(folder.resolve("redis").resolve(Report.RESULT));
  }

  private int run(String... options) {
    List<String> words = new ArrayList<>(List.of("--workers=2", "--out=" + folder));
    words.addAll(List.of(options));
    return Torture.execute(words.toArray(String[]::new));
  }

  private static List<Promise> broken(Result result) {
    return result.promises().stream()
        .filter(Predicate.not(Verdict::passes))
        .map(Verdict::promise)
        .toList();
  }
}
