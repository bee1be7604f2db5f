package dev.holdfast.bench.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class ClientCostTest {

  private static final int SIZE = 1 << 20;
  private static final int TIMES = 100;

  @Test
  void it_counts_what_threads_allocate_and_how_often_they_wait() throws IOException {
    ClientCost before = ClientCost.now();
    long length = 0;
    for (int i = 0; i < TIMES; i++) {
      length += new byte[SIZE].length;
      LockSupport.parkNanos(1_000_000);
    }
    ClientCost each = ClientCost.now().since(before).each(TIMES);
    assertThat(each.bytes()).isGreaterThanOrEqualTo((double) length / TIMES);
    assertThat(each.sleeps()).isGreaterThan(0.5);
    assertThat(each.processorMicros()).isPositive();
  }
}
