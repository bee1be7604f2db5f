package dev.holdfast.bench.contender;

import java.time.Duration;
import java.time.Instant;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;

/** ShedLock over some provider: it neither waits nor renews. */
public record ShedLock(LockProvider provider, Runnable end) implements Client {

  private static final Duration AT_MOST = Duration.ofSeconds(30);

  @Override
  public Mutex mutex(String name) {
    return new Retrying(
        () ->
            provider
                .lock(new LockConfiguration(Instant.now(), name, AT_MOST, Duration.ZERO))
                .map(lock -> lock::unlock));
  }

  @Override
  public void close() {
    end.run();
  }
}
