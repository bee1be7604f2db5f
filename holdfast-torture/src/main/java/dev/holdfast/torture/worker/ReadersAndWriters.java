package dev.holdfast.torture.worker;

import dev.holdfast.DistributedReadWriteLock;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.testkit.promise.Construct;
import dev.holdfast.testkit.promise.Request;
import dev.holdfast.testkit.promise.What;

/** Reads, writes, and turns from a writer into a reader. */
final class ReadersAndWriters extends Activity {

  private static final String NAME = LockNames.READ_WRITE;
  private static final int CAPACITY = Integer.MAX_VALUE;

  ReadersAndWriters(Scene scene) {
    super(scene);
  }

  @Override
  void turn() throws Exception {
    DistributedReadWriteLock lock = scene.locks().readWriteLock(NAME);
    boolean write = scene.onceIn(3);
    Hold hold =
        write
            ? ask(
                Construct.WRITE,
                NAME,
                Request.of(CAPACITY, CAPACITY),
                Lockable.of(lock.writeLock()))
            : ask(Construct.READ, NAME, Request.of(1, CAPACITY), Lockable.of(lock.readLock()));
    if (hold == null) {
      return;
    }
    Lease lease = hold.lease();
    try {
      work(hold.attempt(), lease, scene.holdTime(), true);
      if (write && scene.onceIn(3)) {
        hold.attempt().is(What.DOWNGRADED, lease.token(), "");
        lease = lock.downgrade(lease);
        Hold.watch(hold.attempt(), lease);
        work(hold.attempt(), lease, scene.holdTime(), false);
      }
    } catch (LeaseLostException late) {
      hold.attempt().is(What.OVER, lease.token(), "");
    } finally {
      release(hold.attempt(), lease);
    }
  }
}
