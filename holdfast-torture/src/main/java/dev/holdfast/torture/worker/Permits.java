package dev.holdfast.torture.worker;

import dev.holdfast.testkit.promise.Construct;
import dev.holdfast.testkit.promise.Request;

/** Takes one or two of three permits. */
final class Permits extends Activity {

  private static final String NAME = LockNames.SEMAPHORE;
  private static final int CAPACITY = 3;

  Permits(Scene scene) {
    super(scene);
  }

  @Override
  void turn() throws Exception {
    int wanted = 1 + scene.random().nextInt(2);
    Hold hold =
        ask(
            Construct.PERMIT,
            NAME,
            Request.of(wanted, CAPACITY),
            Lockable.of(scene.locks().semaphore(NAME, CAPACITY), wanted));
    if (hold != null) {
      try {
        work(hold.attempt(), hold.lease(), scene.holdTime(), false);
      } finally {
        release(hold.attempt(), hold.lease());
      }
    }
  }
}
