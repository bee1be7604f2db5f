package org.apache.curator.framework.recipes.locks;

import dev.holdfast.foreign.curator.Held;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;

/**
 * Stands before Curator's own class of this name in the class path, so that Curator's tests of it
 * run over Holdfast.
 */
public class InterProcessReadWriteLock {

  private final ReadLock readLock;
  private final WriteLock writeLock;

  public InterProcessReadWriteLock(CuratorFramework client, String path) {
    readLock = new ReadLock(client, path);
    writeLock = new WriteLock(client, path);
  }

  public ReadLock readLock() {
    return readLock;
  }

  public WriteLock writeLock() {
    return writeLock;
  }

  /** A side of the lock, of the type that the tests expect. */
  private abstract static class Side extends InterProcessMutex {

    private final Held held;

    Side(CuratorFramework client, String path, Held held) {
      super(client, path);
      this.held = held;
    }

    @Override
    public void acquire() throws Exception {
      held.acquire();
    }

    @Override
    public boolean acquire(long time, TimeUnit unit) throws Exception {
      return held.acquire(time, unit);
    }

    @Override
    public void release() throws Exception {
      held.release();
    }

    @Override
    public boolean isAcquiredInThisProcess() {
      return held.isAcquiredInThisProcess();
    }
  }

  public static class ReadLock extends Side {
    ReadLock(CuratorFramework client, String path) {
      super(
          client,
          path,
          new Held(path, (locks, name) -> locks.readWriteLock(name).asReadWriteLock().readLock()));
    }
  }

  public static class WriteLock extends Side {
    WriteLock(CuratorFramework client, String path) {
      super(
          client,
          path,
          new Held(path, (locks, name) -> locks.readWriteLock(name).asReadWriteLock().writeLock()));
    }
  }
}
