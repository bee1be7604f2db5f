package dev.holdfast.torture.worker;

import dev.holdfast.Lease;
import dev.holdfast.LeaseHandle;
import dev.holdfast.LeaseLostException;
import dev.holdfast.StoreException;
import dev.holdfast.testkit.promise.Construct;
import dev.holdfast.testkit.promise.Request;
import dev.holdfast.testkit.promise.What;
import dev.holdfast.torture.worker.Recorder.Attempt;
import org.jspecify.annotations.Nullable;

/** Detaches a lease, and goes on with it in another client. */
final class Detachments extends Activity {

  private static final String NAME = LockNames.DETACHED;

  Detachments(Scene scene) {
    super(scene);
  }

  @Override
  void turn() throws Exception {
    Hold hold = ask(Construct.MUTEX, NAME, Request.mutex(), Lockable.of(scene.locks().lock(NAME)));
    if (hold == null) {
      return;
    }
    work(hold.attempt(), hold.lease(), scene.holdTime(), true);
    long token = hold.lease().token();
    Attempt other =
        scene
            .recorder()
            .asks(
                scene.settings().source() + WorkerMain.OTHER + "/t",
                Construct.MUTEX,
                NAME,
                Request.mutex(),
                "attaches");
    hold.attempt().is(What.DETACHED, token, "");
    Lease attached = moved(hold.lease());
    if (attached == null) {
      other.is(What.CANCELLED, 0, "");
      hold.lease().close();
      return;
    }
    other.granted(What.ATTACHED, attached);
    Hold.watch(other, attached);
    try {
      work(other, attached, scene.holdTime(), true);
    } finally {
      release(other, attached);
    }
  }

  /** The same lease in another client; null if it could not be moved, or not in time. */
  private @Nullable Lease moved(Lease lease) {
    try {
      LeaseHandle handle = lease.detach();
      return scene.other().attach(handle);
    } catch (LeaseLostException | StoreException late) {
      return null;
    }
  }
}
