package dev.holdfast.engine;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a transition of a {@link LocalQueue} decided to do, collected under the queue's lock and
 * done after it is let go: calls to the store, decisions on requests, callbacks.
 */
final class Effects {

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
      first.run();
    }
    if (more != null) {
      more.forEach(Runnable::run);
    }
  }
}
