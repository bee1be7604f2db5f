package dev.holdfast.engine;

import static dev.holdfast.spi.support.PrintableText.quote;

import dev.holdfast.Registration;
import dev.holdfast.engine.state.Effects;
import dev.holdfast.engine.state.Effects.Effect;
import dev.holdfast.engine.state.Hold;
import dev.holdfast.engine.state.Moment;
import dev.holdfast.engine.state.Request;
import dev.holdfast.engine.state.Tenure;
import dev.holdfast.engine.state.Transitions;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.JoinAnswer;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Carries out what the transitions of one lock have decided: calls the store, the timer and the
 * callers. Never under the lock's mutex.
 */
final class Carrier {

  private static final System.Logger LOG = System.getLogger("dev.holdfast");
  private static final Registration ENDED = () -> {};

  private final LockShell shell;
  private final Locks locks;
  private final Context context;
  private final String name;

  // Mutable state, changed under the shell's mutex
  private volatile Registration observation = Registration.NONE;

  Carrier(LockShell shell, Locks locks) {
    this.shell = shell;
    this.locks = locks;
    this.context = locks.context();
    this.name = shell.state.name();
  }

  /** For the end of the client, which sends leaves in large batches. */
  List<Effects.Leave> carryOutButLeaves(Effects out, Moment now) {
    List<Effects.Leave> leaves = new ArrayList<>();
    Effect effect;
    for (int i = 0; (effect = out.get(i)) != null; i++) {
      if (effect instanceof Effects.Leave leave) {
        leaves.add(leave);
      } else {
        carryOut(effect, now);
      }
    }
    return leaves;
  }

  void carryOut(Effect effect, Moment now) {
    try {
      if (effect instanceof Effects.Join join) {
        join(join.tenure(), join.waits(), now);
      } else if (effect instanceof Effects.Decide decide) {
        decide(decide.request(), decide.outcome());
      } else if (effect instanceof Effects.Leave leave) {
        locks.leaves().send(leave);
      } else if (effect instanceof Effects.Refresh refresh) {
        locks.renewals().refresh(refresh.tenure());
      } else if (effect instanceof Effects.Signal signal) {
        signal.request().signal();
      } else if (effect instanceof Effects.Remind remind) {
        at(remind.at(), () -> shell.limitReached(remind.request()));
      } else if (effect instanceof Effects.LookAgain look) {
        at(look.at(), shell::sliceEnded);
      } else if (effect instanceof Effects.Rejoin rejoin) {
        rejoinLater(rejoin.tenure());
      } else if (effect instanceof Effects.Jeopardy) {
        LOG.log(Level.WARNING, "Renewal of {0} is overdue", quote(name));
      } else if (effect instanceof Effects.Lost lost) {
        lost(lost);
      } else if (effect instanceof Effects.Retire) {
        stopObserving();
      }
    } catch (RuntimeException | Error e) {
      LOG.log(Level.ERROR, Text.unexpected(name), e);
    }
  }

  private void join(Tenure tenure, boolean wait, Moment sent) {
    sent.settle();
    CompletionStage<JoinAnswer> stage = ask(tenure, wait, sent);
    JoinAnswer there = Answers.now(stage);
    if (there != null) {
      Inbox.handle(() -> joinAnswered(tenure, there, null, sent));
      return;
    }
    var unused =
        stage.whenComplete(
            (answer, failure) ->
                Inbox.handle(() -> joinAnswered(tenure, answer, Answers.cause(failure), sent)));
  }

  private CompletionStage<JoinAnswer> ask(Tenure tenure, boolean wait, Moment sent) {
    try {
      if (wait || context.store().traits().pushes()) {
        observe();
      }
      Claim claim = tenure.claim; // a repeated one brings what was raised since it was made
      long floor = Math.max(claim.floor(), locks.shared().floor().of(name, sent));
      claim = claim.asking(claim.spares(), floor);
      Deadline deadline = Deadline.at(sent.nanos + tenure.patience(), context.ticker());
      return Answers.present(context.store().join(claim, wait, deadline));
    } catch (RuntimeException | Error e) {
      return CompletableFuture.failedStage(e);
    }
  }

  private void joinAnswered(
      Tenure tenure, @Nullable JoinAnswer answer, @Nullable Throwable failure, Moment sent) {
    context.events().storeCall("join", name, sent.nanos, failure);
    shell.joinAnswered(tenure, answer, failure, sent);
  }

  private void decide(Request request, Object outcome) {
    if (outcome instanceof Transitions.Unanswered unanswered) {
      Throwable cause = unanswered.cause() != null ? unanswered.cause() : context.timeout();
      request.decided(context.noAnswer("a request for", request.name, cause));
    } else {
      request.decided(outcome);
    }
  }

  /** On a store that cannot queue: with jitter, so that clients do not meet again and again. */
  private void rejoinLater(Tenure tenure) {
    // The clock's last digits are as good as chance, and a test that drives it repeats them.
    long chance = context.ticker().nanoTime() * 0x9E3779B97F4A7C15L >>> 32;
    long millis = 20 + Math.floorMod(chance, 100L);
    context.ticker().schedule(Duration.ofMillis(millis), () -> shell.retryDue(tenure));
  }

  private void at(long moment, Runnable task) {
    long delay = Math.max(0, moment - context.ticker().nanoTime());
    context.ticker().schedule(Duration.ofNanos(delay), task);
  }

  private void lost(Effects.Lost lost) {
    LOG.log(
        Level.WARNING,
        "Lease on {0} (token {1}) is lost: {2}",
        quote(name),
        Long.toString(lost.hold().token),
        lost.reason().text());
    lost.actions().forEach(this::run);
  }

  /** Runs an action for a loss on the executor it was given with. */
  void run(Hold.Action action) {
    Runnable isolated =
        () -> {
          try {
            action.task().run();
          } catch (RuntimeException | Error e) {
            LOG.log(Level.ERROR, "An action for the loss of " + quote(name) + " failed", e);
          }
        };
    context.alarms().execute(isolated, action.executor());
  }

  // ---------------------------------------------------------------- hints

  /** Asks the store for hints, once. A store that throws is asked again. */
  void observe() {
    if (observation != Registration.NONE) {
      return;
    }
    Registration started = context.store().observe(name, () -> Inbox.handle(shell::hinted));
    boolean[] kept = {false};
    shell.guarded(
        () -> {
          if (observation == Registration.NONE && !shell.state.isRetired()) {
            observation = started;
            kept[0] = true;
          }
        });
    if (!kept[0]) {
      started.close();
    }
  }

  private void stopObserving() {
    Registration[] known = {ENDED};
    shell.guarded(
        () -> {
          known[0] = observation;
          observation = ENDED;
        });
    known[0].close();
  }
}
