package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Diagnosis;
import dev.holdfast.Finding;
import dev.holdfast.Holdfast;
import dev.holdfast.memory.MemoryLockStore;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Ticker;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class DiagnosisTest {

  @Test
  void the_memory_store_tells_its_clock() {
    try (Holdfast locks = Holdfast.connect("memory:diagnosis")) {
      Diagnosis diagnosis = locks.diagnose();
      Instant time = diagnosis.time();
      assertThat(time).isNotNull();
      assertThat(Duration.between(time, Instant.now()).abs()).isLessThan(Duration.ofMinutes(1));
      assertThat(diagnosis.findings()).isEmpty();
    }
  }

  @Test
  void a_store_that_has_nothing_to_tell_need_not() {
    try (Ticker ticker = Ticker.system("test");
        LockStore store = new MemoryLockStore(ticker);
        LockStore plain = new ForwardingStore(store)) {
      assertThat(plain.diagnose().toCompletableFuture().join()).isEqualTo(Diagnosis.empty());
    }
  }

  @Test
  void findings_say_how_much_they_matter() {
    assertThat(Finding.ok("a").severity()).isEqualTo(Finding.Severity.OK);
    assertThat(Finding.warning("a").severity()).isEqualTo(Finding.Severity.WARNING);
    assertThat(Finding.danger("a").severity()).isEqualTo(Finding.Severity.DANGER);
  }
}
