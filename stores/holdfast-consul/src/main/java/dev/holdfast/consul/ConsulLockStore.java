package dev.holdfast.consul;

import dev.holdfast.Consistency;
import dev.holdfast.Diagnosis;
import dev.holdfast.LockOptions;
import dev.holdfast.Traits;
import dev.holdfast.consul.Sessions.Session;
import dev.holdfast.leased.LeasedLockStore;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.support.Failures;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/**
 * Locks in Consul.
 *
 * <p>Acquiring a free lock takes one round trip once there is a session, releasing it another. The
 * queue is in the order of Consul's own indexes, and a token is derived from the index that created
 * the claim. All claims of one ttl share one session.
 *
 * <p>There is one holder at a time, whichever servers fail, as long as Consul keeps its own
 * promises. A dead holder is replaced late: Consul keeps a session for twice its ttl, and a new
 * leader keeps each session that it finds for that long again.
 *
 * <p>Thread-safe; only opening and closing wait for the server. Stages complete on threads of the
 * HTTP client or of the ticker.
 */
final class ConsulLockStore extends LeasedLockStore<Session> {

  /** How long a cluster with Consul's default settings may take to replace its leader. */
  private static final Duration ELECTION = Duration.ofSeconds(30);

  private final StoreParts parts;
  private final JoinProtocol joins;
  private final LeaveProtocol leaves;

  private ConsulLockStore(StoreParts parts, Traits traits) {
    super(
        parts.client().toString(),
        traits,
        parts.calls(),
        ClaimFormat.FORMAT,
        parts.watches(),
        parts.sessions().classes,
        parts.registry(),
        parts.ticker());
    this.parts = parts;
    joins = new JoinProtocol(parts, holders(), standings());
    leaves = new LeaveProtocol(parts, standings(), joins);
  }

  /** Opens a store and fails unless Consul answers and the account may read and write. */
  static ConsulLockStore open(ConsulAddress address, StoreSettings settings) {
    ConsulLockStore store =
        new ConsulLockStore(StoreParts.of(address, settings), traits(address.minTtl()));
    try {
      Failures.join(store.parts.calls().checkRights("first request"));
      return store;
    } catch (RuntimeException e) {
      store.close();
      throw e;
    }
  }

  static Traits traits(Duration minTtl) {
    return Traits.builder()
        .fair()
        .pushes()
        .tellsHolders()
        .ttl(minTtl, Sessions.LONGEST)
        .ttlResolution(Duration.ofSeconds(1))
        .expiryLag(expiryLag(minTtl))
        .allKinds()
        .detachable()
        .durable()
        .consistency(Consistency.LINEARIZABLE)
        .spansProcesses()
        .sharedTtl()
        .build();
  }

  /**
   * @return the lag for the default ttl and shorter ones: for a session that was about to end,
   *     after two ttls, when the leader changed. Each further change adds two ttls.
   */
  private static Duration expiryLag(Duration minTtl) {
    Duration defaultTtl = LockOptions.defaults().ttl();
    Duration ttl = minTtl.compareTo(defaultTtl) > 0 ? minTtl : defaultTtl;
    return ttl.multipliedBy(3).plus(ELECTION);
  }

  @Override
  public CompletionStage<JoinAnswer> join(Claim claim, boolean wait, Deadline deadline) {
    return joins.join(claim, wait, deadline);
  }

  @Override
  public CompletionStage<Map<Claim, Left>> leave(
      Collection<Departure> departures, Deadline deadline) {
    return leaves.leave(departures, deadline);
  }

  @Override
  public CompletionStage<Diagnosis> diagnose() {
    return parts.diagnosis().diagnose();
  }

  @Override
  protected void shutDown() {
    parts.close();
  }
}
