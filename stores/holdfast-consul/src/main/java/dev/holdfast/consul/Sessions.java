package dev.holdfast.consul;

import com.google.gson.JsonParser;
import dev.holdfast.consul.HttpTransport.Answer;
import dev.holdfast.leased.KeptLease;
import dev.holdfast.leased.KeptLease.SendTime;
import dev.holdfast.leased.LeaseCalls;
import dev.holdfast.leased.LeaseClasses;
import dev.holdfast.leased.Tombstones;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.support.AllAnswers;
import dev.holdfast.spi.support.SingleFlight;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** The sessions of a client: one for each ttl, and those of tombstones. Thread-safe. */
final class Sessions implements LeaseCalls<Sessions.Session> {

  /** The longest ttl that Consul gives to a session. */
  static final Duration LONGEST = Duration.ofDays(1);

  private static final System.Logger LOG = System.getLogger(Sessions.class.getName());
  private static final long CLOSING_MILLIS = 1_000;

  final ConsulClient client;
  final KeyPaths paths;
  final Ticker ticker;
  final LeaseClasses<Session> classes;
  final Tombstones tombstones;

  // With joins that were not answered. Sessions out of use, too: they may live on for a while, and
  // a late join be carried out on them.
  final Set<Session> unanswered = ConcurrentHashMap.newKeySet();

  Sessions(ConsulClient client, KeyPaths paths, Ticker ticker) {
    this.client = client;
    this.paths = paths;
    this.ticker = ticker;
    // In epoch 0 for ever: sessions outlive a change of the leader.
    classes = new LeaseClasses<>(this, () -> 0, Duration.ZERO, client.failures());
    tombstones = new Tombstones(this::create, LONGEST, ticker, client.failures());
  }

  /** Opens a session, with its gate. */
  @Override
  public CompletableFuture<Session> open(long seconds, Deadline deadline) {
    SendTime sent = SendTime.now(ticker);
    return create(seconds, deadline)
        .thenCompose(
            id -> {
              Session session = new Session(id, seconds, sent, this);
              return session.refuseEarlierJoins(deadline).thenApply(open -> session);
            });
  }

  // Without lock delay: a key belongs to one claim only, and no other client has to be kept from
  // it for a while. Without checks: the health of the agent says nothing about this client.
  private CompletableFuture<String> create(long seconds, Deadline deadline) {
    String session =
        """
        {"Name":"holdfast","TTL":"%ds","Behavior":"delete","LockDelay":"0s","NodeChecks":[],"Checks":[]}
        """
            .formatted(seconds);
    return client
        .send("session", "PUT", "/v1/session/create", session, deadline)
        .thenApply(
            answer ->
                JsonParser.parseString(answer.body()).getAsJsonObject().get("ID").getAsString());
  }

  /**
   * @return completes when no unanswered join that was sent before can take effect
   */
  CompletableFuture<Void> refuseUnansweredJoins(Deadline deadline) {
    return CompletableFuture.allOf(
        unanswered.stream()
            .map(session -> session.refuseEarlierJoins(deadline))
            .toArray(CompletableFuture[]::new));
  }

  /** Ends all sessions in use at once. Waits a moment for the answers. */
  void destroy() {
    AllAnswers.of(classes.current().stream().map(Session::destroy).toList())
        .orTimeout(CLOSING_MILLIS, TimeUnit.MILLISECONDS)
        .exceptionally(
            failure -> {
              LOG.log(
                  Level.DEBUG,
                  "Could not destroy the sessions; they expire after their ttl",
                  failure);
              return List.of();
            })
        .join();
  }

  /*
   * The gate. A join whose answer is lost may still lie in the buffer of an agent that hangs, and be
   * carried out at any time, long after every tombstone is gone; and as the session lives on for the
   * sake of other claims, nothing would end it. So each session has a key, the gate, and each join
   * on it is conditional on the gate's modify index. Writing to the gate refuses, for ever, all
   * joins that were sent before.
   *
   * When a session's time is over, Consul begins to end it, and may renew it all the same until that
   * is done; and a leader that was replaced may renew it before it notices. KeptLease counts a
   * renewal only if it was answered within one ttl of the send of the last one: Consul keeps
   * sessions for two.
   */

  /** A session, renewed only on request, and its gate. Thread-safe. */
  static final class Session extends KeptLease {

    final String gate;

    private final Sessions sessions;
    private final ConsulClient client;
    private final SingleFlight<Boolean> gateWrite = new SingleFlight<>(this::writeToGate);
    private final AtomicLong writes = new AtomicLong();

    // Mutable state: the gate's modify index, for joins to depend on
    volatile long gateIndex;

    Session(String id, long seconds, SendTime sent, Sessions sessions) {
      super(id, seconds, 0, sent, sessions.ticker, sessions.client.failures());
      this.gate = sessions.paths.gate(id);
      this.sessions = sessions;
      this.client = sessions.client;
    }

    /**
     * Refuses all joins on this session that were sent before, but not later ones.
     *
     * @return whether the session still existed; otherwise nothing can be put on it anyway
     */
    CompletableFuture<Boolean> refuseEarlierJoins(Deadline deadline) {
      return gateWrite.next(deadline);
    }

    /**
     * For a join that was refused: makes sure that another index than the one it was sent with is
     * known. Joins share one write to the gate, or each would refuse the others for ever.
     *
     * @return whether the session still existed
     */
    CompletableFuture<Boolean> learnGate(long seen, Deadline deadline) {
      return gateIndex == seen
          ? gateWrite.current(deadline)
          : CompletableFuture.completedFuture(true);
    }

    @Override
    protected CompletableFuture<Boolean> askToRenew(Deadline deadline) {
      return client
          .send("renewal", "PUT", "/v1/session/renew/" + id(), "", deadline)
          .thenApply(answer -> answer.status() == 200);
    }

    CompletableFuture<Answer> destroy() {
      String path = "/v1/session/destroy/" + id();
      return client.send("end of a session", "PUT", path, "", client.deadline());
    }

    // Consul keeps the modify index of a key that is written as it was: the value has to differ.
    private CompletableFuture<Boolean> writeToGate(Deadline deadline) {
      Transaction write =
          new Transaction().lock(gate, id(), Long.toString(writes.incrementAndGet())).read(gate);
      return client
          .transact("session", "", write, deadline)
          .thenApply(
              result -> {
                // First: a join with the new index may be unanswered again.
                sessions.unanswered.remove(this);
                if (result.tookEffect()) {
                  gateIndex = result.found().get(0).modified();
                }
                return result.tookEffect();
              });
    }
  }
}
