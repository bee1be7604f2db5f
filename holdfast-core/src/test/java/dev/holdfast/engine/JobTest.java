package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.OPTIONS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.LeaseLostException;
import dev.holdfast.spi.LockStore;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class JobTest {

  private final Scene scene = Scene.plain();

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void a_job_that_turns_the_interrupt_into_another_exception_does_not_hide_the_loss() {
    CountDownLatch begun = new CountDownLatch(1);
    Background<Boolean> job =
        Background.start(() -> scene.locks.mutex("job", OPTIONS).tryRun(() -> awaitNothing(begun)));
    await().until(() -> begun.getCount() == 0);
    scene.otherClient().evict("job", LockStore.ANY_TOKEN);
    scene.advance(OPTIONS.renewEvery());
    assertThatThrownBy(job::get)
        .isInstanceOf(LeaseLostException.class)
        .satisfies(lost -> assertThat(lost.getSuppressed()[0]).hasMessage("of the job"));
  }

  private static void awaitNothing(CountDownLatch begun) {
    begun.countDown();
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      throw new IllegalStateException("of the job", e);
    }
  }
}
