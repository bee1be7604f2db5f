package dev.holdfast.engine;

import dev.holdfast.LockName;
import dev.holdfast.Proof;
import dev.holdfast.StaleTokenException;
import dev.holdfast.engine.state.Moment;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;

/**
 * Raises the floor of a lock whose fence has seen a greater token than its store remembers, within
 * what the store can have handed out. Thread-safe.
 */
public final class Floors {

  private static final System.Logger LOG = System.getLogger("dev.holdfast");

  /** How far a store's clock may be ahead of ours. */
  private static final long AHEAD_MICROS = TimeUnit.HOURS.toMicros(1);

  private final Engine engine;
  private final Context context;

  Floors(Engine engine) {
    this.engine = engine;
    this.context = engine.context;
  }

  /** See {@link dev.holdfast.Holdfast#raiseFloor}. */
  public void raise(String name, long token) {
    check(name, token);
    Moment now = engine.now();
    long limit = Math.max(now.wallMicros, highest(name)) + AHEAD_MICROS;
    if (token > limit) {
      throw new IllegalArgumentException(
          ("%s cannot have handed out the token %d of '%s': tokens reach about %d by now."
                  + " The fence that showed it was damaged or misled: reset the fence,"
                  + " or, if the token is right, use forceFloor.")
              .formatted(context.store, token, name, limit));
    }
    context.client.raise(name, token, now);
  }

  /** See {@link dev.holdfast.Holdfast#forceFloor}. */
  public void force(String name, long token) {
    check(name, token);
    context.client.raise(name, token, engine.now());
  }

  /** After a refusal; one that cannot be answered by greater tokens says so. */
  void raiseAfter(StaleTokenException refusal) {
    if (context.store.traits().maxFloor() == 0) {
      return; // nothing helps, and most refusals are of holders that were replaced
    }
    try {
      raise(refusal.lockName(), refusal.current());
    } catch (IllegalArgumentException e) {
      refusal.addSuppressed(e);
      LOG.log(Level.WARNING, "The floor was not raised: {0}", e.getMessage());
    }
  }

  private void check(String name, long token) {
    LockName.check(name);
    Proof.checkToken(token);
    long greatest = context.store.traits().maxFloor();
    if (greatest == 0) {
      throw new UnsupportedOperationException(
          "tokens of "
              + context.store
              + " are its own revisions and cannot be raised; reset the fence of '"
              + name
              + "' once no old holder is left");
    }
    if (token > greatest) {
      throw new IllegalArgumentException(
          "floor (%d) of '%s' is above what %s takes: %d; reset the fence that showed it"
              .formatted(token, name, context.store, greatest));
    }
  }

  private long highest(String name) {
    LockShell shell = engine.find(name);
    Long highest = shell == null ? null : shell.ask((state, now, out) -> state.highest);
    return highest == null ? 0 : highest;
  }
}
