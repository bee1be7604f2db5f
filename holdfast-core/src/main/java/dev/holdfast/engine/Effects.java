package dev.holdfast.engine;

import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a transition of a {@link LocalQueue} decided to do, collected under the queue's lock and
 * done after it is let go: calls to the store, decisions on requests, callbacks. One that fails
 * does not keep the others from being done.
 */
final class Effects {

  private static final System.Logger LOG = System.getLogger("dev.holdfast");

  // Mutable state
  private @Nullable Runnable first;
  private @Nullable List<Runnable> more;

  void add(Runnable effect) {
    if (first == null) {
      first = effect;
    } else {
      List<Runnable> list = more == null ? new ArrayList<>(4) : more;
      more = list;
      list.add(effect);
    }
  }

  void run() {
    if (first != null) {
      isolated(first);
    }
    if (more != null) {
      more.forEach(Effects::isolated);
    }
  }

  private static void isolated(Runnable effect) {
    try {
      effect.run();
    } catch (RuntimeException | Error e) {
      LOG.log(Level.ERROR, "A step of a lock failed", e);
    }
  }
}
