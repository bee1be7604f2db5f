package dev.holdfast.testkit.explorer;

import dev.holdfast.LockInfo;
import dev.holdfast.Registration;
import dev.holdfast.Traits;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Standing;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/** A store at the other end of a {@link Wire}. */
final class WireStore implements LockStore {

  private final Wire wire;
  private final LockStore store;

  WireStore(Wire wire, LockStore store) {
    this.wire = wire;
    this.store = store;
  }

  @Override
  public Traits traits() {
    return store.traits();
  }

  @Override
  public CompletionStage<JoinAnswer> join(Claim claim, boolean wait, Deadline deadline) {
    return wire.send("join", () -> store.join(claim, wait, deadline));
  }

  @Override
  public CompletionStage<Map<Claim, Standing>> refresh(
      Collection<Claim> claims, Deadline deadline) {
    return wire.send("refresh", () -> store.refresh(claims, deadline));
  }

  @Override
  public CompletionStage<Map<Claim, Left>> leave(
      Collection<Departure> departures, Deadline deadline) {
    return wire.send("leave", () -> store.leave(departures, deadline));
  }

  @Override
  public CompletionStage<Boolean> evict(String lock, long token) {
    return wire.send("evict", () -> store.evict(lock, token));
  }

  @Override
  public CompletionStage<Boolean> discard(String lock) {
    return wire.send("discard", () -> store.discard(lock));
  }

  @Override
  public Registration observe(String lock, Runnable wake) {
    boolean[] open = {true};
    Runnable heard =
        () -> {
          if (open[0]) {
            wake.run();
          }
        };
    return Wire.observing(store.observe(lock, () -> wire.hint(heard)), open);
  }

  @Override
  public CompletionStage<LockInfo> inspect(String lock) {
    return wire.send("inspect", () -> store.inspect(lock));
  }

  @Override
  public CompletionStage<List<LockInfo>> list(String prefix, int limit) {
    return wire.send("list", () -> store.list(prefix, limit));
  }

  @Override
  public void close() {
    store.close();
  }

  @Override
  public String toString() {
    return "explored store";
  }
}
