package dev.holdfast.testkit.promise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.testkit.promise.History.Attempt;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryTest {

  private final AtomicLong clock = new AtomicLong();

  @Test
  void what_is_written_reads_back(@TempDir Path folder) throws Exception {
    History history = new History(clock::incrementAndGet);
    Request request =
        Request.of(2, 3)
            .waiting(Duration.ofSeconds(1))
            .keeping(Duration.ofSeconds(2))
            .holding(Duration.ofSeconds(3));
    Attempt attempt = history.asks("a\\/1", Construct.PERMIT, "tab\tand\nline", request);
    attempt.granted(7, 99);
    attempt.is(What.LOST, "a \\ b");
    history.befell(What.CRASHED, "b", "");
    history.write(folder.resolve("one"));

    assertThat(History.read(List.of(folder.resolve("one")))).isEqualTo(history.observations());
    assertThat(history.count(What.GRANTED)).isEqualTo(1);
  }

  @Test
  void histories_of_several_processes_are_merged_by_time(@TempDir Path folder) throws Exception {
    History one = new History(clock::incrementAndGet);
    History two = new History(clock::incrementAndGet);
    one.befell(What.PAUSED, "a", "");
    two.befell(What.PAUSED, "b", "");
    one.befell(What.RESUMED, "a", "");
    one.write(folder.resolve("one"));
    two.write(folder.resolve("two"));

    assertThat(History.read(List.of(folder.resolve("two"), folder.resolve("one"))))
        .extracting(Observation::at)
        .containsExactly(1L, 2L, 3L);
  }

  @Test
  void another_line_is_refused() {
    assertThatThrownBy(() -> Observation.parse("GRANTED a token"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("GRANTED a token");
  }
}
