package dev.holdfast.election;

import dev.holdfast.Candidacy;
import dev.holdfast.ClaimInfo;
import dev.holdfast.Election;
import dev.holdfast.Kind;
import dev.holdfast.Leader;
import dev.holdfast.LeaderListener;
import dev.holdfast.LeaderObserver;
import dev.holdfast.Leadership;
import dev.holdfast.Lease;
import dev.holdfast.LockInfo;
import dev.holdfast.LockOptions;
import dev.holdfast.Registration;
import dev.holdfast.engine.Engine;
import dev.holdfast.engine.EngineLease;
import dev.holdfast.engine.EngineLock;
import dev.holdfast.engine.state.LockSpec;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A name and how it is led. Immutable. */
public final class LeaderElection implements Election {

  private final Engine engine;
  private final String name;
  private final LockOptions options;

  /** Of this client. */
  public LeaderElection(Engine engine, String name, LockOptions options) {
    if (!options.minHold().isZero()) {
      throw new IllegalArgumentException(
          "minHold must be zero for an election: after its resignation a leader would still be"
              + " shown");
    }
    this.engine = engine;
    this.name = name;
    // Each candidate has its own claim, with its own value.
    this.options = options.handOff(false);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public LockOptions options() {
    return options;
  }

  @Override
  public Leadership campaign(String value) throws InterruptedException {
    return leading(seat(value).acquire());
  }

  @Override
  public @Nullable Leadership tryCampaign(String value, Duration wait) throws InterruptedException {
    Lease lease = seat(value).tryAcquire(wait);
    return lease == null ? null : leading(lease);
  }

  @Override
  public CompletableFuture<Leadership> campaignAsync(String value) {
    CompletableFuture<Lease> request = seat(value).acquireAsync();
    CompletableFuture<Leadership> result = new CompletableFuture<>();
    var unused =
        request.whenComplete(
            (lease, failure) -> {
              if (failure != null) {
                result.completeExceptionally(failure);
              } else if (!result.complete(leading(lease))) {
                var unusedEnd = ((EngineLease) lease).giveBack();
              }
            });
    var unusedToo = result.whenComplete((leading, failure) -> request.cancel(false));
    return result;
  }

  /** The lock that a leader holds. A value that cannot be published is refused. */
  private EngineLock seat(String value) {
    return new EngineLock(engine, name, LockSpec.election(name, value, options));
  }

  private static Leadership leading(Lease lease) {
    return new LeaderLease((EngineLease) lease);
  }

  @Override
  public Candidacy stand(String value, LeaderListener listener) {
    Candidate candidate = new Candidate(engine, seat(value), listener);
    engine.closings().add(candidate);
    candidate.start();
    return candidate;
  }

  @Override
  public Optional<Leader> leader() {
    return leader(engine.inspect(name));
  }

  static Optional<Leader> leader(LockInfo info) {
    if (info.kind() != Kind.ELECTION || info.holders().isEmpty()) {
      return Optional.empty();
    }
    ClaimInfo holder = info.holders().get(0);
    String value = holder.value();
    return Optional.of(new Leader(holder.token(), value == null ? "" : value, holder.owner()));
  }

  @Override
  public Registration observe(LeaderObserver observer) {
    LeaderWatch watch = new LeaderWatch(engine, name, observer);
    watch.look();
    return watch;
  }
}
