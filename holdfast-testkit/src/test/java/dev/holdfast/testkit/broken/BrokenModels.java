package dev.holdfast.testkit.broken;

import dev.holdfast.StoreException;
import dev.holdfast.spi.Busy;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Ticker;
import dev.holdfast.testkit.simulation.StoreModel;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Stores with one broken promise, for simulations. */
public final class BrokenModels {

  private static final Map<String, Supplier<Sketch>> OTHERS =
      Map.of(
          "NONE",
          Sketch::new,
          "FORGETS_LINGER",
          () ->
              new Sketch() {
                @Override
                Left leave(Departure departure) {
                  return super.leave(
                      new Departure(departure.claim(), Duration.ZERO, departure.tombstone()));
                }
              },
          "GONE_FOR_GRANTED",
          () ->
              new Sketch() {
                private int refreshes;

                @Override
                Map<Claim, Standing> refresh(Collection<Claim> claims) {
                  Map<Claim, Standing> answers = super.refresh(claims);
                  if (++refreshes % 10 == 0) {
                    answers.replaceAll((claim, standing) -> Gone.GONE);
                  }
                  return answers;
                }
              },
          "BUSY_FOR_NOTHING",
          () ->
              new Sketch() {
                private int joins;

                @Override
                JoinAnswer join(Claim claim, boolean wait, SketchStore via) {
                  return !wait && ++joins % 20 == 0 ? new Busy(null) : super.join(claim, wait, via);
                }
              },
          "UNKNOWN_FOR_NOTHING",
          () ->
              new Sketch() {
                private int joins;

                @Override
                JoinAnswer join(Claim claim, boolean wait, SketchStore via) {
                  if (++joins % 100 == 0) {
                    throw new StoreException(claim.lock(), "no answer");
                  }
                  return super.join(claim, wait, via);
                }
              });

  private BrokenModels() {}

  /** The store with this flaw. */
  public static StoreModel.Maker named(String flaw) {
    Supplier<Sketch> other = OTHERS.get(flaw);
    return clock -> model(other != null ? other.get() : flawOf(flaw).sketch(), clock);
  }

  private static Flaw flawOf(String name) {
    return Stream.<Flaw[]>of(
            QueueFlaw.values(), RecordFlaw.values(), KeepableFlaw.values(), EngineFlaw.values())
        .flatMap(Stream::of)
        .filter(flaw -> flaw.toString().equals(name))
        .findFirst()
        .orElseThrow();
  }

  /** The clock of the sketch follows the store's before each call. */
  private static StoreModel model(Sketch sketch, Ticker clock) {
    long start = clock.nanoTime();
    return () -> {
      LockStore store = new SketchStore(sketch);
      return (LockStore)
          Proxy.newProxyInstance(
              LockStore.class.getClassLoader(),
              new Class<?>[] {LockStore.class},
              (proxy, method, arguments) -> {
                Duration now = Duration.ofNanos(clock.nanoTime() - start);
                sketch.ticker.advance(now.minus(sketch.ticker.sinceStart()));
                try {
                  return method.invoke(store, arguments);
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                }
              });
    };
  }
}
