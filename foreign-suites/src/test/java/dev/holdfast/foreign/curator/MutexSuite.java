package dev.holdfast.foreign.curator;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.recipes.locks.TestInterProcessMutexBase;

/** Curator's tests of a reentrant mutex. */
public class MutexSuite extends TestInterProcessMutexBase {

  @Override
  protected InterProcessLock makeLock(CuratorFramework client) {
    return new Held(LOCK_BASE_PATH + "/mutex", (locks, name) -> locks.lock(name).asLock());
  }
}
