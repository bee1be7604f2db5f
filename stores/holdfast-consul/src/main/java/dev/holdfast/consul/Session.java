package dev.holdfast.consul;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.holdfast.consul.Calls.Request;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Ticker;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/*
 * The gate. A join whose answer is lost may still lie in the buffer of an agent that hangs, and be
 * carried out at any time, long after every tombstone is gone; and as the session lives on for the
 * sake of other claims, nothing would end it. So each session has a key, the gate, and each join on
 * it is conditional on the gate's modify index. Writing to the gate turns away, for ever, all joins
 * that were sent before.
 *
 * When the time of a session is over, Consul begins to end it, and may renew it all the same until
 * that is done. And a leader that was replaced may renew it before it notices. So a renewal counts
 * only if it was answered within a ttl, reckoned from before the last one was sent: Consul keeps
 * sessions for two. Later than that the session is given up, and whether a claim is still there is
 * for its key to tell.
 */

/** A session, renewed only when asked to, and its gate. Any threads. */
final class Session {

  private final String id;
  private final long ttlNanos;
  private final Calls calls;
  private final Ticker ticker;
  private final String gate;
  private final Shared<Boolean> renewal = new Shared<>(this::sendRenewal);
  private final Shared<Boolean> shutting = new Shared<>(this::writeToGate);
  private final AtomicLong writes = new AtomicLong();
  private final AtomicLong confirmed;

  // Mutable state
  private volatile long gateIndex;
  private volatile boolean doubtful;

  private Session(String id, long sent, long ttlSeconds, Calls calls, Keys keys, Ticker ticker) {
    this.id = id;
    this.confirmed = new AtomicLong(sent);
    this.ttlNanos = TimeUnit.SECONDS.toNanos(ttlSeconds);
    this.calls = calls;
    this.ticker = ticker;
    this.gate = keys.gate(id);
  }

  /** A new session, with its gate. */
  static CompletableFuture<Session> open(
      long ttlSeconds, Calls calls, Keys keys, Ticker ticker, Deadline deadline) {
    long sent = ticker.nanoTime();
    return create(ttlSeconds, calls, deadline)
        .thenCompose(
            id -> {
              Session session = new Session(id, sent, ttlSeconds, calls, keys, ticker);
              return session.writeToGate(deadline).thenApply(open -> session);
            });
  }

  /** The id of a new session that nobody will renew. */
  static CompletableFuture<String> create(long ttlSeconds, Calls calls, Deadline deadline) {
    JsonObject session = new JsonObject();
    session.addProperty("Name", "holdfast");
    session.addProperty("TTL", ttlSeconds + "s");
    session.addProperty("Behavior", "delete");
    // A key belongs to one claim only: there is nobody to be kept from it for a while.
    session.addProperty("LockDelay", "0s");
    // The ttl alone decides: the health of the agent that is asked says nothing about us.
    session.add("NodeChecks", new JsonArray());
    session.add("Checks", new JsonArray());
    return calls
        .send(Request.put("session", "/v1/session/create", session.toString()), deadline)
        .thenApply(
            answer ->
                JsonParser.parseString(answer.body()).getAsJsonObject().get("ID").getAsString());
  }

  String id() {
    return id;
  }

  String gate() {
    return gate;
  }

  /** What the gate's modify index should be. */
  long gateIndex() {
    return gateIndex;
  }

  /** A join on it was not answered: it may still come. */
  void doubt() {
    doubtful = true;
  }

  /** Whether a join may still come that nobody waits for any more. */
  boolean isDoubtful() {
    return doubtful;
  }

  /** Whether it may be ending already, for want of renewal. */
  boolean mayHaveEnded() {
    return ticker.nanoTime() - confirmed.get() >= ttlNanos;
  }

  /** Whether it was there all the time, and lives from now on as long as it was made for. */
  CompletableFuture<Boolean> renew(Deadline deadline) {
    return renewal.ask(deadline);
  }

  /**
   * Turns away all joins on this session that were sent before, and lets later ones pass.
   *
   * @return whether the session was still there; if not, nothing can be put on it, either
   */
  CompletableFuture<Boolean> turnAway(Deadline deadline) {
    return shutting.ask(deadline);
  }

  /**
   * For a join that was turned away: makes sure that another index than the one it came with is
   * known. Writes to the gate only if nobody else does: or those who write would turn each other
   * away for ever.
   *
   * @return whether the session was still there
   */
  CompletableFuture<Boolean> learnGate(long seen, Deadline deadline) {
    return gateIndex == seen
        ? shutting.askUnlessAsked(deadline)
        : CompletableFuture.completedFuture(true);
  }

  CompletableFuture<Transport.Answer> destroy() {
    return calls.send(
        Request.put("end of a session", "/v1/session/destroy/" + id, ""), calls.deadline());
  }

  private CompletableFuture<Boolean> sendRenewal(Deadline deadline) {
    long sent = ticker.nanoTime();
    return calls
        .send(Request.put("renewal", "/v1/session/renew/" + id, ""), deadline)
        .thenApply(
            answer -> {
              if (answer.status() != 200 || mayHaveEnded()) {
                return false;
              }
              confirmed.set(sent); // renewals come one after the other
              return true;
            });
  }

  // Consul keeps the modify index of a key that is written as it was: the value has to differ.
  private CompletableFuture<Boolean> writeToGate(Deadline deadline) {
    Txn txn = new Txn().lock(gate, id, Long.toString(writes.incrementAndGet())).read(gate);
    return calls
        .txn("session", "", txn, deadline)
        .thenApply(
            done -> {
              if (done.tookEffect()) {
                doubtful = false; // first: what comes with the new index may be doubted anew
                gateIndex = done.found().get(0).modified();
              }
              return done.tookEffect();
            });
  }
}
