package dev.holdfast.engine.state;

import dev.holdfast.LockEvent;
import dev.holdfast.LossReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
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
          Retire {}

  /** Sends a join. */
  public record Join(Call call) implements Effect {}

  /** Sends a separate refresh for this tenure. */
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

  /** Nothing is left of this lock: forgets it. */
  public record Retire() implements Effect {
    static final Retire NOW = new Retire();
  }

  /** True if there is a listener. */
  public final boolean telling;

  // Mutable state: most transitions have few effects, and change one tenure
  public int count;
  public boolean ordered; // whether there are some whose order the shell must keep
  public @Nullable Effect first;
  private @Nullable Effect second;
  private @Nullable List<@Nullable Effect> more;
  public @Nullable Tenure changed; // its next moment, or that it has ended
  public List<Tenure> changedToo = List.of();

  /** None yet. */
  public Effects(boolean telling) {
    this.telling = telling;
  }

  void add(Effect effect) {
    if (count == 0) {
      first = effect;
    } else if (count == 1) {
      second = effect;
    } else {
      List<@Nullable Effect> list = more == null ? new ArrayList<>() : more;
      more = list;
      list.add(effect);
    }
    count++;
    ordered |= effect instanceof Leave || effect instanceof Tell || effect instanceof Retire;
  }

  /**
   * @return the effect at this place, which may have been taken out
   */
  public @Nullable Effect get(int index) {
    return switch (index) {
      case 0 -> first;
      case 1 -> second;
      default -> more == null ? null : more.get(index - 2);
    };
  }

  /** Puts another effect, or none, at this place. */
  public void set(int index, @Nullable Effect effect) {
    switch (index) {
      case 0 -> first = effect;
      case 1 -> second = effect;
      default -> Objects.requireNonNull(more).set(index - 2, effect);
    }
  }

  /** The next moment of the tenure may have changed, or it has ended. */
  void change(Tenure tenure) {
    Tenure.DUE.lazySet(tenure, tenure.nextMoment());
    if (changed == null || changed == tenure) {
      changed = tenure;
    } else {
      changedToo = changedToo.isEmpty() ? new ArrayList<>() : changedToo;
      changedToo.add(tenure);
    }
  }

  /** Puts the last effect at this place, before those that were added since. */
  void moveLastTo(int place) {
    for (int i = count - 1; i > place; i--) {
      Effect later = get(i);
      set(i, get(i - 1));
      set(i - 1, later);
    }
  }

  /** The claim whose leave was decided last, if any was. */
  @Nullable Tenure left() {
    for (int i = count - 1; i >= 0; i--) {
      if (get(i) instanceof Leave leave) {
        return leave.tenure();
      }
    }
    return null;
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
      Duration time = Duration.ofNanos(nanos);
      String label = spec.options.label();
      add(
          new Tell(
              new LockEvent(
                  type, lock, spec.kind, spec.mode, label, token, outcome, "", time, null)));
    }
  }
}
