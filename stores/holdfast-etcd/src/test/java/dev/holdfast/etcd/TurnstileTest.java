package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class TurnstileTest {

  @Test
  void so_many_are_under_way_and_the_others_come_in_their_order() {
    Turnstile turnstile = new Turnstile(2);
    List<Integer> entered = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      int number = i;
      turnstile.enter(false, () -> entered.add(number));
    }
    assertThat(entered).containsExactly(0, 1);

    turnstile.leave();
    assertThat(entered).containsExactly(0, 1, 2);
    turnstile.leave();
    assertThat(entered).containsExactly(0, 1, 2, 3);
  }

  @Test
  void who_is_urgent_goes_before_all_others() {
    Turnstile turnstile = new Turnstile(1);
    List<String> entered = new ArrayList<>();
    for (String join : List.of("first join", "second join", "third join")) {
      turnstile.enter(false, () -> entered.add(join));
    }
    turnstile.enter(true, () -> entered.add("renewal"));

    turnstile.leave();
    turnstile.leave();

    assertThat(entered).containsExactly("first join", "renewal", "second join");
  }

  @Test
  void thousands_that_leave_at_once_do_not_let_in_each_other_from_within() {
    Turnstile turnstile = new Turnstile(1);
    AtomicInteger left = new AtomicInteger();
    turnstile.enter(false, () -> {}); // holds up the others until all are there
    for (int i = 0; i < 100_000; i++) {
      turnstile.enter(
          false,
          () -> {
            left.incrementAndGet();
            turnstile.leave();
          });
    }

    turnstile.leave();

    assertThat(left).hasValue(100_000);
  }

  @Test
  void nobody_is_forgotten_whoever_comes_and_goes_at_the_same_time() throws Exception {
    int each = 20_000;
    Turnstile turnstile = new Turnstile(3);
    AtomicInteger underWay = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    CountDownLatch all = new CountDownLatch(2 * each);
    ExecutorService threads = Executors.newFixedThreadPool(4);
    Runnable visit =
        () -> {
          most.accumulateAndGet(underWay.incrementAndGet(), Math::max);
          threads.execute(
              () -> {
                underWay.decrementAndGet();
                turnstile.leave();
                all.countDown();
              });
        };
    try {
      for (int i = 0; i < 2; i++) {
        threads.execute(
            () -> {
              for (int j = 0; j < each; j++) {
                turnstile.enter(false, visit);
              }
            });
      }
      assertThat(all.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(most.get()).isLessThanOrEqualTo(3);
    } finally {
      threads.shutdownNow();
    }
  }
}
