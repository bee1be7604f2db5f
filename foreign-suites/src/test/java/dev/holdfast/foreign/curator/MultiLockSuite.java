package dev.holdfast.foreign.curator;

import java.util.List;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.recipes.locks.TestInterProcessMutexBase;

/** Curator's tests of a reentrant mutex, on two locks at once. */
public class MultiLockSuite extends TestInterProcessMutexBase {

  @Override
  protected InterProcessLock makeLock(CuratorFramework client) {
    return new Held(
        LOCK_BASE_PATH + "/several",
        (locks, name) -> new BothLocks(locks.lockAll(List.of(name + "/1", name + "/2"))));
  }
}
