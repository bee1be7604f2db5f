package dev.holdfast.torture.worker;

import dev.holdfast.LockOptions;
import dev.holdfast.testkit.promise.Construct;
import dev.holdfast.testkit.promise.Request;
import java.time.Duration;

/** Releases a mutex before its minHold is over, so that it stays taken. */
final class MinHolds extends Activity {

  private static final String NAME = LockNames.MIN_HOLD;

  MinHolds(Scene scene) {
    super(scene);
  }

  @Override
  void turn() throws Exception {
    Duration least = scene.settings().ttl().dividedBy(4);
    LockOptions options =
        LockOptions.defaults().ttl(scene.settings().ttl()).minHold(least).label("min-hold");
    Hold hold =
        ask(
            Construct.MUTEX,
            NAME,
            Request.mutex().keeping(least),
            Lockable.of(scene.locks().lock(NAME, options)));
    if (hold != null) {
      try {
        work(hold.attempt(), hold.lease(), scene.between(0.01, 0.1), true);
      } finally {
        release(hold.attempt(), hold.lease());
      }
    }
  }
}
