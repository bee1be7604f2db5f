package dev.holdfast.engine.callback;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ThreadsTest {

  @Test
  void what_comes_after_the_end_runs_on_a_separate_thread_too() {
    Threads threads = new Threads("holdfast-test");
    threads.close();
    CompletableFuture<Thread> ran = new CompletableFuture<>();
    threads.execute(() -> ran.complete(Thread.currentThread()));
    assertThat(ran)
        .succeedsWithin(60, TimeUnit.SECONDS)
        .isNotSameAs(Thread.currentThread())
        .matches(Thread::isDaemon);
  }
}
