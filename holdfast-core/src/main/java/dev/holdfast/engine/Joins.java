package dev.holdfast.engine;

import dev.holdfast.spi.Claim;
import java.time.Duration;

/** Makes the claims of a client and sends them into the store's queues. Any threads. */
final class Joins {

  private final Engine engine;
  private final Owners owners;
  private final ClaimIds ids = new ClaimIds();

  Joins(Engine engine, String clientName) {
    this.engine = engine;
    this.owners = new Owners(ids.next(), clientName);
  }

  Claim claim(String name, Request request, int spares) {
    LockSpec spec = request.spec;
    return new Claim(
        ids.next(),
        name,
        spec.kind,
        spec.weight,
        spec.capacity,
        owners.of(request.threadName, spec.options.label()),
        spec.options.ttl(),
        spec.value,
        spares,
        engine.floor().seen());
  }

  /**
   * Asks the store.
   *
   * @param sent a moment before this: the store's ttl starts no earlier
   */
  void send(Tenure tenure, boolean wait, Moment sent) {
    Duration valid = tenure.spec.options.validFor();
    Duration patience = engine.operationTimeout();
    sent.settle();
    engine
        .answers()
        .ask(
            () -> {
              if (wait || engine.store().traits().pushes()) {
                tenure.queue.observe();
              }
              Claim claim = tenure.claim.asking(tenure.claim.spares(), engine.floor().seen());
              return engine.store().join(claim, wait);
            },
            valid.compareTo(patience) < 0 ? valid : patience,
            (answer, failure) -> {
              if (answer != null) {
                tenure.queue.joined(tenure, answer, sent);
              } else {
                if (failure != null) {
                  engine.told().storeFailed("join", tenure.claim.lock(), failure);
                }
                tenure.queue.joinFailed(tenure, failure);
              }
            });
  }

  /** On a store that cannot queue: with jitter, so that clients do not meet again and again. */
  void repeatLater(Tenure tenure) {
    // The clock's last digits are as good as chance, and a test that drives it repeats them.
    long chance = engine.ticker().nanoTime() * 0x9E3779B97F4A7C15L >>> 32;
    long millis = 20 + Math.floorMod(chance, 100L);
    engine.ticker().schedule(Duration.ofMillis(millis), () -> tenure.queue.rejoin(tenure));
  }
}
