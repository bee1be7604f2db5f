package dev.holdfast.testkit.simulation;

import dev.holdfast.Fence;
import dev.holdfast.Lease;
import dev.holdfast.Proof;
import dev.holdfast.StaleTokenException;
import dev.holdfast.testkit.promise.Construct;
import dev.holdfast.testkit.promise.History;
import dev.holdfast.testkit.promise.What;
import dev.holdfast.testkit.simulation.time.Scheduler;
import java.util.SplittableRandom;

/**
 * What holders write to, behind a fence. A write leaves while its holder believes in its lease, and
 * may arrive much later. Not thread-safe.
 */
final class Resource {

  private static final long MILLI = 1_000_000;
  private static final int WRITES = 2;

  private final Scheduler scheduler;
  private final Fence fence;
  private final History history;

  Resource(Scheduler scheduler, Fence fence, History history) {
    this.scheduler = scheduler;
    this.fence = fence;
    this.history = history;
  }

  /** A holder enters, and once it has done so, writes. */
  void use(
      ClientProcess client, String who, Construct construct, Lease lease, SplittableRandom random) {
    Proof proof = lease.proof();
    scheduler.after(
        way(random),
        () -> {
          if (passes(What.ENTERED, who, construct, proof, () -> fence.enter(proof))) {
            for (int i = 0; i < WRITES; i++) {
              long pause = random.nextLong(20_000 * MILLI);
              long way = way(random);
              scheduler.after(
                  pause, () -> client.clock.run(() -> write(who, construct, lease, proof, way)));
            }
          }
        });
  }

  private void write(String who, Construct construct, Lease lease, Proof proof, long way) {
    if (lease.isValid()) {
      scheduler.after(
          way, () -> passes(What.WROTE, who, construct, proof, () -> fence.check(proof)));
    }
  }

  private boolean passes(
      What what, String who, Construct construct, Proof proof, Runnable question) {
    try {
      question.run();
    } catch (StaleTokenException refused) {
      history.fence(What.STALE, who, construct, proof.lock(), proof.token());
      return false;
    }
    history.fence(what, who, construct, proof.lock(), proof.token());
    return true;
  }

  private static long way(SplittableRandom random) {
    return random.nextLong((random.nextInt(5) == 0 ? 90_000 : 30) * MILLI);
  }
}
