package dev.holdfast.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Fence;
import dev.holdfast.Holdfast;
import dev.holdfast.LeakReports;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LeaseState;
import dev.holdfast.LockTimeoutException;
import dev.holdfast.StaleTokenException;
import dev.holdfast.StoreException;
import dev.holdfast.memory.MemoryLockStore;
import dev.holdfast.testkit.Faults;
import dev.holdfast.testkit.FaultyStore;
import dev.holdfast.testkit.ManualTicker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The samples of docs/TESTING-YOUR-CODE.md. */
class TestingYourCodeSamplesTest {

  // sample: manual-client
  private final ManualTicker time = new ManualTicker();
  private final FaultyStore store =
      new FaultyStore(new MemoryLockStore(time), time, Faults.none(), 1);
  private final Holdfast locks =
      Holdfast.builder().store(store).ticker(time).executor(Runnable::run).build();

  // end

  @AfterEach
  void close() {
    locks.close();
  }

  @Test
  void the_memory_store_stands_in_for_the_real_one() throws Exception {
    // sample: busy
    try (Holdfast ours = Holdfast.connect("memory:skips-when-busy");
        Holdfast theirs = Holdfast.connect("memory:skips-when-busy");
        Lease held = theirs.lock("nightly-report").acquire()) {
      NightlyReport report = new NightlyReport(ours);

      assertThat(report.runIfFree()).isFalse();
      assertThat(held.release()).isTrue();
      assertThat(report.runIfFree()).isTrue();
    }
    // end
  }

  @Test
  void renewal_goes_on_while_time_passes() throws Exception {
    // sample: renewal
    Lease lease = locks.lock("import").acquire();
    time.advance(Duration.ofHours(1)); // 360 renewals, at once

    assertThat(lease.state()).isEqualTo(LeaseState.HELD);
    // end
  }

  @Test
  void a_wait_times_out_without_waiting() throws Exception {
    try (Holdfast other = Holdfast.builder().store(store).ticker(time).build();
        Lease held = other.lock("import").acquire()) {
      // sample: time-out
      CompletableFuture<Lease> lease = locks.lock("import").acquireAsync(Duration.ofMinutes(5));
      time.advance(Duration.ofMinutes(5));

      assertThatThrownBy(lease::join).hasCauseInstanceOf(LockTimeoutException.class);
      // end
      assertThat(held.isValid()).isTrue();
    }
  }

  @Test
  void an_operator_breaks_the_lock() throws Exception {
    List<String> told = new ArrayList<>();
    // sample: break
    Lease lease = locks.lock("import").acquire();
    lease.onLost(() -> told.add("stop"));

    locks.breakLock("import");
    time.advance(Duration.ofMillis(1)); // the store has notified its client, which refreshes

    assertThat(lease.state()).isEqualTo(LeaseState.LOST);
    assertThat(told).containsExactly("stop");
    // end
  }

  @Test
  void a_renewal_at_once_finds_the_loss_at_once() throws Exception {
    // sample: renew
    Lease lease = locks.lock("import").acquire();
    locks.breakLock("import");

    assertThatThrownBy(lease::renew).isInstanceOf(LeaseLostException.class);
    // end
  }

  @Test
  void a_task_whose_lock_is_lost_does_not_end_well() throws Exception {
    // sample: run
    assertThatThrownBy(() -> locks.lock("import").run(() -> locks.breakLock("import")))
        .isInstanceOf(LeaseLostException.class); // although the task returned
    // end
  }

  @Test
  void a_leak_is_found() throws Exception {
    // sample: leaks
    try (Holdfast strict =
            Holdfast.builder().store("memory:").leakReports(LeakReports.ALL).build();
        Lease lease = strict.lock("import").acquire()) {
      assertThat(lease.isValid()).isTrue();
    }
    // end
  }

  @Test
  void the_store_falls_silent() throws Exception {
    List<String> told = new ArrayList<>();
    // sample: silence
    Lease lease = locks.lock("import").acquire();
    lease.onLost(() -> told.add("stop"));
    store.faults(Faults.cutOff()); // requests go nowhere, no call is answered

    time.advance(Duration.ofSeconds(20));
    assertThat(lease.state()).isEqualTo(LeaseState.JEOPARDY); // renewals are overdue
    time.advance(Duration.ofMillis(2_500)); // three quarters of the ttl are over

    assertThat(lease.state()).isEqualTo(LeaseState.LOST);
    assertThat(told).containsExactly("stop");
    // end
    store.faults(Faults.none());
  }

  @Test
  void the_machine_sleeps() throws Exception {
    // sample: sleep
    Lease lease = locks.lock("import").acquire();
    time.jumpWall(Duration.ofMinutes(10)); // the wall clock went on, the monotonic one stood still

    assertThat(lease.isValid()).isFalse();
    // end
  }

  @Test
  void the_store_gives_no_answer() {
    // sample: unknown
    store.faults(Faults.failing());

    assertThatThrownBy(() -> locks.lock("import").tryAcquire())
        .isInstanceOf(StoreException.class); // unknown, which is not busy
    // end
    store.faults(Faults.none());
  }

  @Test
  void a_late_write_is_refused() throws Exception {
    // sample: late-write
    Fence fence = Fence.inMemory();
    Lease late = locks.lock("import").acquire();
    fence.enter(late.proof());

    locks.breakLock("import");
    CompletableFuture<Lease> next = locks.lock("import").acquireAsync();
    time.advance(Duration.ofSeconds(10)); // now the first one is known to be lost
    fence.enter(next.join().proof());

    assertThatThrownBy(() -> fence.check(late.proof())).isInstanceOf(StaleTokenException.class);
    // end
  }

  /** The code under test. */
  private static final class NightlyReport {
    private final Holdfast locks;

    NightlyReport(Holdfast locks) {
      this.locks = locks;
    }

    boolean runIfFree() throws InterruptedException {
      return locks.lock("nightly-report").tryRun(() -> {});
    }
  }
}
