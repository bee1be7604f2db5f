package dev.holdfast.torture.worker;

import dev.holdfast.LockOptions;
import dev.holdfast.testkit.promise.Construct;
import dev.holdfast.testkit.promise.Request;
import java.time.Duration;

/** Holds a mutex no longer than a limit, and tries to hold it longer. */
final class MaxHolds extends Activity {

  private static final String NAME = LockNames.MAX_HOLD;

  MaxHolds(Scene scene) {
    super(scene);
  }

  @Override
  void turn() throws Exception {
    Duration most = scene.between(1.05, 1.5);
    LockOptions options =
        LockOptions.defaults().ttl(scene.settings().ttl()).maxHold(most).label("max-hold");
    Hold hold =
        ask(
            Construct.MUTEX,
            NAME,
            Request.mutex().holding(most),
            Lockable.of(scene.locks().lock(NAME, options)));
    if (hold != null) {
      try {
        work(hold.attempt(), hold.lease(), scene.between(0.1, 2), true);
      } finally {
        release(hold.attempt(), hold.lease());
      }
    }
  }
}
