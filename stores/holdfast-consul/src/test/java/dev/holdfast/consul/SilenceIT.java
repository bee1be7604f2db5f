package dev.holdfast.consul;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpHandler;
import dev.holdfast.StoreException;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.support.NoAnswerException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Agents that do not answer, or only in part. */
class SilenceIT {

  private final CountDownLatch end = new CountDownLatch(1);

  @AfterEach
  void goOn() {
    end.countDown();
  }

  @Test
  void an_answer_that_stalls_half_way_is_no_answer() {
    HttpHandler stalling =
        exchange -> {
          exchange.sendResponseHeaders(200, 100);
          exchange.getResponseBody().write("{\"Results\"".getBytes(StandardCharsets.UTF_8));
          exchange.getResponseBody().flush();
          hang();
        };

    assertThat(failureToOpen(stalling)).isInstanceOf(NoAnswerException.class);
  }

  /** The last attempt has only the rest of the time, which may be too short for any answer. */
  @Test
  void an_attempt_that_is_cut_short_does_not_hide_why_the_one_before_it_failed() {
    AtomicInteger requests = new AtomicInteger();
    HttpHandler refusingOnce =
        exchange -> {
          if (requests.incrementAndGet() > 1) {
            hang();
          }
          byte[] why = "No cluster leader".getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(500, why.length);
          exchange.getResponseBody().write(why);
          exchange.close();
        };

    assertThat(failureToOpen(refusingOnce))
        .isInstanceOf(NoAnswerException.class)
        .hasMessageContaining("status 500, No cluster leader");
    assertThat(requests).hasValueGreaterThan(1);
  }

  private static Throwable failureToOpen(HttpHandler handler) {
    try (StubAgent agent = new StubAgent(handler);
        Ticker ticker = Ticker.system("silence-test")) {
      StoreSettings settings = new StoreSettings(ticker, Duration.ofSeconds(4));
      CompletableFuture<Throwable> failure =
          CompletableFuture.supplyAsync(
              () -> {
                try (var opened = new ConsulProvider().open(agent.url(), settings)) {
                  return new AssertionError(opened + " was opened");
                } catch (StoreException e) {
                  return e;
                }
              });
      assertThat(failure).succeedsWithin(Duration.ofSeconds(30));
      return failure.join();
    }
  }

  private void hang() {
    try {
      end.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
