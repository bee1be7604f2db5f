package dev.holdfast.testkit.promise;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One attempt and the hold that came of it, as far as a history tells. Not thread-safe. */
final class Life {

  /** How far it has come. */
  enum Stage {
    WAITING,
    HOLDING,
    ENDED
  }

  final Observation asked;
  final Request request;
  private final String client;

  // Mutable state
  Stage stage = Stage.WAITING;
  @Nullable Observation granted;
  @Nullable Observation over; // the lease did not call itself valid any more
  @Nullable Observation lost; // its caller knows
  @Nullable Observation releasing;
  boolean released; // and the store had it until then
  boolean shared; // exclusive until it is downgraded
  int weight;
  long token;
  long until = Observation.UNTIL_TOLD; // by its last word
  long keptUntil; // by its minHold, at least
  long keptAtMost; // how long, from the moment at which the store learns of the release
  long heldUntil = Observation.UNTIL_TOLD; // by its maxHold
  long brokenAt;
  boolean broken; // or perhaps: it may have been granted before the break, and learned it later
  boolean surelyBroken;
  boolean disturbed; // its client was paused meanwhile
  long headSince; // from then on no other one of its client was before it
  long tracesUntil; // the store may have a claim of it

  Life(Observation asked) {
    this.asked = asked;
    this.client = asked.client();
    this.request = Objects.requireNonNull(asked.request(), "an attempt without a request");
    this.weight = request.weight();
    this.shared = !asked.construct().isExclusive();
    this.headSince = asked.at();
  }

  String client() {
    return client;
  }

  Observation since() {
    return granted != null ? granted : asked;
  }

  boolean isWaiting() {
    return stage == Stage.WAITING;
  }

  boolean isHolding() {
    return stage == Stage.HOLDING;
  }

  /** {@return whether its lease called itself valid at that moment} */
  boolean isValid(long at) {
    return stage == Stage.HOLDING && over == null && lost == null && at < until;
  }

  boolean excludes(Life other) {
    return (long) weight + other.weight > request.capacity();
  }

  boolean isOfSameClient(Life other) {
    return client.equals(other.client);
  }

  boolean isOf(String other) {
    return client.equals(other);
  }
}
