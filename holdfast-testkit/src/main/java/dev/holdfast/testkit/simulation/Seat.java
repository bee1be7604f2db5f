package dev.holdfast.testkit.simulation;

import dev.holdfast.Candidacy;
import dev.holdfast.LeaderListener;
import dev.holdfast.Leadership;
import dev.holdfast.LeaseLostException;
import dev.holdfast.StoreException;
import dev.holdfast.testkit.promise.Construct;
import dev.holdfast.testkit.promise.History.Attempt;
import dev.holdfast.testkit.promise.Request;
import dev.holdfast.testkit.promise.What;
import dev.holdfast.testkit.simulation.Holds.Held;
import java.time.Duration;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** A candidate, and the leader that it is now and then. Not thread-safe. */
final class Seat implements LeaderListener {

  private final Simulation world;
  private final ClientProcess client;
  private final String lock;
  private final String who;

  // Mutable state
  private Attempt attempt;
  private @Nullable Held held;

  Seat(Simulation world, ClientProcess client, String lock) {
    this.world = world;
    this.client = client;
    this.lock = lock;
    this.who = client.caller();
    this.attempt = asks();
  }

  private Attempt asks() {
    return world.history.asks(who, Construct.LEADER, lock, Request.mutex());
  }

  Candidacy stand() {
    Candidacy candidacy = client.locks.election(lock, world.options).stand(client.name, this);
    return new Candidacy() {
      @Override
      public boolean isLeading() {
        return candidacy.isLeading();
      }

      @Override
      public void resign() {
        candidacy.resign();
      }

      @Override
      public void close() {
        candidacy.close();
        attempt.is(What.CANCELLED);
      }
    };
  }

  @Override
  public void elected(Leadership leadership) {
    held = world.granted(client, lock, attempt, leadership, Construct.LEADER);
    SplittableRandom random = new SplittableRandom(leadership.token());
    world.resource.use(client, who, Construct.LEADER, leadership, random);
    if (random.nextInt(4) == 0) {
      Duration later = Duration.ofMillis(random.nextInt(5_000));
      client.clock.schedule(later, () -> publish(leadership));
    }
  }

  private void publish(Leadership leadership) {
    if (client.isGone()) {
      return;
    }
    world.stats.happened("publish");
    client.link.beside(
        () -> {
          try {
            leadership.publish(who + " leads");
          } catch (LeaseLostException | StoreException refused) {
            world.stats.happened("publish refused");
          }
        });
  }

  @Override
  public void ended(Leadership leadership) {
    Held over = Objects.requireNonNull(held);
    over.look();
    if (over.isOver()) {
      over.lost();
    } else {
      attempt.is(What.RELEASING);
    }
    world.holds.remove(over);
    attempt = asks();
    client.closesAsLeader.run();
  }
}
