package dev.holdfast.spi.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RequestLimiterTest {

  private final RequestLimiter limiter = new RequestLimiter(2);
  private final List<String> started = new ArrayList<>();

  private CompletableFuture<Void> run(String name) {
    CompletableFuture<Void> request = new CompletableFuture<>();
    limiter.run(() -> start(name, request));
    return request;
  }

  private CompletableFuture<Void> start(String name, CompletableFuture<Void> request) {
    started.add(name);
    return request;
  }

  @Test
  void no_more_requests_than_the_limit_are_under_way() {
    CompletableFuture<Void> first = run("first");
    run("second");
    run("third");
    assertThat(started).containsExactly("first", "second");

    first.complete(null);
    assertThat(started).containsExactly("first", "second", "third");
  }

  @Test
  void a_failed_request_makes_room_like_any_other() {
    CompletableFuture<Void> first = run("first");
    run("second");
    run("third");

    first.completeExceptionally(new IllegalStateException("failed"));

    assertThat(started).contains("third");
  }

  @Test
  void requests_wait_in_the_order_of_their_arrival_and_urgent_ones_go_ahead() {
    CompletableFuture<Void> first = run("first");
    CompletableFuture<Void> second = run("second");
    run("join");
    limiter.runUrgent(() -> start("renewal", new CompletableFuture<>()));
    run("other join");

    first.complete(null);
    second.complete(null);

    assertThat(started).containsExactly("first", "second", "renewal", "join");
  }

  @Test
  void a_request_that_cannot_be_started_is_over() {
    for (int i = 0; i < 3; i++) {
      limiter.run(
          () -> {
            throw new IllegalStateException("not started");
          });
    }
    run("next");

    assertThat(started).containsExactly("next");
  }

  @Test
  void thousands_that_end_at_once_do_not_overflow_the_stack() {
    CompletableFuture<Void> first = run("first");
    CompletableFuture<Void> second = run("second");
    AtomicInteger ended = new AtomicInteger();
    for (int i = 0; i < 100_000; i++) {
      limiter.run(() -> CompletableFuture.completedFuture(ended.incrementAndGet()));
    }

    first.complete(null);
    second.complete(null);

    assertThat(ended).hasValue(100_000);
  }

  @Test
  void all_requests_of_many_threads_are_started_once() throws InterruptedException {
    AtomicInteger underWay = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    AtomicInteger ended = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      threads.add(
          new Thread(
              () -> {
                for (int n = 0; n < 1_000; n++) {
                  limiter.run(
                      () -> {
                        most.accumulateAndGet(underWay.incrementAndGet(), Math::max);
                        return CompletableFuture.runAsync(
                            () -> {
                              underWay.decrementAndGet();
                              ended.incrementAndGet();
                            });
                      });
                }
              }));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    CompletableFuture<Void> last = new CompletableFuture<>();
    limiter.run(() -> CompletableFuture.runAsync(() -> last.complete(null)));
    last.join();

    assertThat(most.get()).isLessThanOrEqualTo(2);
    assertThat(ended.get()).isGreaterThanOrEqualTo(3_999); // one may run beside the last
  }
}
