package dev.holdfast.engine.state;

import dev.holdfast.LockEvent;
import dev.holdfast.LossReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a transition decided to do. Collected under the lock's mutex and carried out by the shell
 * after the mutex is let go, in this order. Not thread-safe.
 */
public final class Effects {

  /** One thing to do. */
  public sealed interface Effect
      permits Join,
          Refresh,
          Leave,
          Decide,
          Signal,
          Remind,
          LookAgain,
          Rejoin,
          Jeopardy,
          Lost,
          Tell,
          Watch,
          Forget,
          Retire {}

  /** Sends a join. */
  public record Join(Tenure tenure, boolean waits) implements Effect {}

  /** Sends a refresh of its own for this tenure. */
  public record Refresh(Tenure tenure) implements Effect {}

  /** Sends a leave. */
  public record Leave(Tenure tenure, Duration linger, boolean tombstone) implements Effect {}

  /** Tells a caller the outcome of its request. */
  public record Decide(Request request, Object outcome) implements Effect {}

  /** Wakes the thread of a request, which then comes back for an idle tenure. */
  public record Signal(Request request) implements Effect {}

  /** Reports the limit of this request again at that moment. */
  public record Remind(Request request, long at) implements Effect {}

  /** Looks at the lock again at that moment. */
  public record LookAgain(long at) implements Effect {}

  /** Joins again after a while, on a store that cannot queue. */
  public record Rejoin(Tenure tenure) implements Effect {}

  /** Reports that a renewal is overdue. */
  public record Jeopardy(Hold hold) implements Effect {}

  /** Reports a loss. */
  public record Lost(Hold hold, LossReason reason, List<Hold.Action> actions) implements Effect {}

  /** Publishes an event, if anybody listens. */
  public record Tell(LockEvent event) implements Effect {}

  /** Keeps an eye on the tenure's deadlines and renewals. */
  public record Watch(Tenure tenure) implements Effect {}

  /** Stops that. */
  public record Forget(Tenure tenure) implements Effect {}

  /** Nothing is left of this lock: forgets it. */
  public record Retire() implements Effect {
    static final Retire NOW = new Retire();
  }

  /** Whether anybody listens to events. */
  public final boolean telling;

  // Mutable state: most transitions have few effects
  private @Nullable Effect first;
  private @Nullable Effect second;
  private @Nullable Effect third;
  private @Nullable List<Effect> more;

  /** None yet. */
  public Effects(boolean telling) {
    this.telling = telling;
  }

  void add(Effect effect) {
    if (first == null) {
      first = effect;
    } else if (second == null) {
      second = effect;
    } else if (third == null) {
      third = effect;
    } else {
      List<Effect> list = more == null ? new ArrayList<>() : more;
      more = list;
      list.add(effect);
    }
  }

  /**
   * @return the effect at this place, or null behind the last one
   */
  public @Nullable Effect get(int index) {
    return switch (index) {
      case 0 -> first;
      case 1 -> second;
      case 2 -> third;
      default -> more == null || index - 3 >= more.size() ? null : more.get(index - 3);
    };
  }

  void tell(LockEvent.Type type, Request request, long token, String outcome, long nanos) {
    tell(type, request.name, request.spec, token, outcome, nanos);
  }

  void tell(LockEvent.Type type, Hold hold, String outcome, long nanos) {
    tell(type, hold.tenure.claim.lock(), hold.spec, hold.token, outcome, nanos);
  }

  private void tell(
      LockEvent.Type type, String lock, LockSpec spec, long token, String outcome, long nanos) {
    if (telling) {
      add(
          new Tell(
              new LockEvent(
                  type,
                  lock,
                  spec.kind,
                  spec.mode,
                  spec.options.label(),
                  token,
                  outcome,
                  "",
                  Duration.ofNanos(nanos),
                  null)));
    }
  }
}
