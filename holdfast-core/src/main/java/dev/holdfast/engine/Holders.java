package dev.holdfast.engine;

import dev.holdfast.Mode;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which threads of this client hold one name, so that they can enter again. Not thread-safe but for
 * {@link #reenter(LockSpec)}: {@link LocalQueue} guards it.
 */
final class Holders {

  private final Engine engine;

  // Mutable state
  private @Nullable Map<Thread, Hold> others; // but for the exclusive one; a mutex has none
  private volatile @Nullable Hold exclusive; // read without the guard, for re-entry

  Holders(Engine engine) {
    this.engine = engine;
  }

  /**
   * Re-entry of the exclusive holder, without the guard: nobody but its own thread can be here.
   *
   * @return null if this is not re-entry
   */
  @Nullable Hold reenter(LockSpec spec) {
    Hold hold = exclusive;
    if (hold == null
        || hold.thread != Thread.currentThread()
        || hold.spec.kind != spec.kind
        || !spec.reentrant) {
      return null;
    }
    if (hold.remaining(engine.now()) <= 0) {
      throw hold.lostException(engine.ticker());
    }
    return hold.enterAgain(spec.isReading()) ? hold : null;
  }

  /** Decides a request of a thread that is inside already. Whether it was one. */
  boolean reenter(Request request, Moment now, Effects effects) {
    Hold hold = of(request.reentrantThread());
    if (hold == null || hold.spec.kind != request.spec.kind) {
      return false;
    }
    if (hold.remaining(now) <= 0) {
      effects.add(() -> request.failed(hold.lostException(engine.ticker())));
      return true;
    }
    if (hold.enterAgain(request.spec.isReading())) {
      effects.add(() -> request.granted(hold));
      return true;
    }
    if (hold.isEntered(true)) {
      effects.add(() -> request.failed(hold.upgradeRefused()));
      return true;
    }
    return false; // another thread is closing its last lease
  }

  @Nullable Hold of(@Nullable Thread thread) {
    Hold hold = exclusive;
    if (hold != null && hold.thread == thread) {
      return hold;
    }
    return thread == null || others == null ? null : others.get(thread);
  }

  void add(Hold hold) {
    if (hold.thread == null) {
      return;
    }
    if (exclusive == null && hold.tenure.spec.mode == Mode.EXCLUSIVE) {
      exclusive = hold;
    } else {
      Map<Thread, Hold> map = others == null ? new HashMap<>() : others;
      others = map;
      map.put(hold.thread, hold);
    }
  }

  /** The writer only reads from now on, beside others. */
  void downgrade(Hold hold) {
    forget(hold);
    add(hold);
  }

  void forget(Hold hold) {
    if (hold == exclusive) {
      exclusive = null;
    } else if (hold.thread != null && others != null) {
      others.remove(hold.thread, hold);
    }
  }

  void forgetAll() {
    others = null;
    exclusive = null;
  }

  boolean isEmpty() {
    return exclusive == null && (others == null || others.isEmpty());
  }
}
