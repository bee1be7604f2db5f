package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A client that cannot be built leaves nothing behind. */
class FailedBuildTest {

  private static final LockOptions TOO_SHORT = LockOptions.defaults().ttl(Duration.ofMillis(9));

  private final ClassLoader before = Thread.currentThread().getContextClassLoader();
  private final Set<Thread> threads = timers();

  @TempDir Path folder;

  @BeforeEach
  void offerStores() throws Exception {
    Thread.currentThread().setContextClassLoader(ContextProvider.loader(folder));
  }

  @AfterEach
  void restore() {
    Thread.currentThread().setContextClassLoader(before);
  }

  @Test
  void no_thread_is_left_by_a_store_that_cannot_be_opened() {
    assertThatThrownBy(() -> Holdfast.connect("context-broken:"))
        .isInstanceOf(StoreException.class)
        .hasMessage("broken on purpose");

    assertNoThreadIsLeft();
  }

  @Test
  void default_options_that_the_store_cannot_honour_are_refused_and_the_store_is_closed() {
    assertThatThrownBy(() -> Holdfast.builder().store("context:").defaults(TOO_SHORT).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("ttl (PT0.009S) is outside what context: takes: PT0.01S to PT24H");

    assertThat(ContextProvider.OPEN).hasValue(0);
    assertNoThreadIsLeft();
  }

  @Test
  void a_store_of_the_callers_stays_open_when_its_client_is_refused() {
    try (Ticker ticker = Ticker.system("failed-build-test")) {
      LockStore store =
          new ContextProvider().open("context:", new StoreSettings(ticker, Duration.ofSeconds(5)));
      assertThatThrownBy(() -> Holdfast.builder().store(store).defaults(TOO_SHORT).build())
          .isInstanceOf(IllegalArgumentException.class);

      assertThat(ContextProvider.OPEN).hasValue(1);
      Holdfast.builder().store(store).build().close();
      assertThat(ContextProvider.OPEN).hasValue(0);
    }
  }

  private void assertNoThreadIsLeft() {
    await()
        .untilAsserted(
            () -> {
              Set<Thread> left = timers();
              left.removeAll(threads);
              assertThat(left).isEmpty();
            });
  }

  private static Set<Thread> timers() {
    Set<Thread> timers = new HashSet<>(Thread.getAllStackTraces().keySet());
    timers.removeIf(thread -> !thread.getName().equals("holdfast-timer"));
    return timers;
  }
}
