package dev.holdfast.bench.contender;

import java.util.Optional;
import java.util.concurrent.Callable;

/**
 * A lock of a library that does not wait: its user tries again, here every 100 ms, which is what
 * those that poll do by default.
 */
public record Retrying(Callable<Optional<Hold>> attempt) implements Mutex {

  private static final long BETWEEN_MILLIS = 100;

  @Override
  public Hold acquire() throws Exception {
    while (true) {
      Optional<Hold> hold = attempt.call();
      if (hold.isPresent()) {
        return hold.get();
      }
      Thread.sleep(BETWEEN_MILLIS);
    }
  }
}
