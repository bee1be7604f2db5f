package dev.holdfast.torture.worker;

import dev.holdfast.DistributedLock;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.StoreException;
import dev.holdfast.testkit.promise.Construct;
import dev.holdfast.testkit.promise.Request;
import dev.holdfast.testkit.promise.What;
import java.util.List;

/** Takes one of two mutexes, enters again, and renews by hand now and then. */
final class Mutexes extends Activity {

  private static final List<String> NAMES = List.of(LockNames.MUTEX_A, LockNames.MUTEX_B);

  Mutexes(Scene scene) {
    super(scene);
  }

  @Override
  void turn() throws Exception {
    String name = NAMES.get(scene.random().nextInt(NAMES.size()));
    DistributedLock lock = scene.locks().lock(name);
    Hold hold = ask(Construct.MUTEX, name, Request.mutex(), Lockable.of(lock));
    if (hold == null) {
      return;
    }
    try {
      if (hold.ours() && scene.onceIn(4)) {
        reenter(hold, lock);
      }
      work(hold.attempt(), hold.lease(), scene.holdTime(), true);
      if (scene.onceIn(8)) {
        renew(hold);
      }
    } finally {
      release(hold.attempt(), hold.lease());
    }
  }

  private static void reenter(Hold hold, DistributedLock lock) throws InterruptedException {
    try (Lease inner = lock.tryAcquire()) {
      if (inner != null) {
        hold.attempt().is(What.REENTERED, inner.token(), "");
      }
    } catch (LeaseLostException late) {
      // As promised: it never acquires again in silence.
    }
  }

  private static void renew(Hold hold) {
    try {
      hold.lease().renew();
      hold.attempt().valid(hold.lease());
    } catch (LeaseLostException | StoreException late) {
      // The lease says so itself when it is asked.
    }
  }
}
