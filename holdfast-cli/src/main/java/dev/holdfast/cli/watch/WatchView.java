package dev.holdfast.cli.watch;

import dev.holdfast.LockInfo;
import dev.holdfast.StoreException;
import java.util.List;

/** Shows the locks in use as they change. */
public interface WatchView extends AutoCloseable {

  /** Shows what the store answered. */
  void show(List<LockInfo> locks);

  /** Shows that the store did not answer. */
  void unknown(StoreException failure);

  /** Returns whether the output is still open. */
  boolean isOpen();

  @Override
  void close();
}
