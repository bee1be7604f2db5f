package dev.holdfast.engine;

import static dev.holdfast.PrintableText.quote;

import dev.holdfast.Registration;
import dev.holdfast.engine.callback.Answers;
import dev.holdfast.engine.state.Hold;
import dev.holdfast.engine.state.Request;
import dev.holdfast.engine.state.Tenure;
import dev.holdfast.engine.state.Transitions;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** How the thread of a request waits for its outcome. */
final class Parking {

  private Parking() {}

  /**
   * Parks until the request is decided.
   *
   * @return the hold, or null when busy
   */
  static @Nullable Hold await(LockShell shell, Request request, boolean interruptibly)
      throws InterruptedException {
    if (request.outcome == null) {
      try (Registration limit = shell.limit(request)) {
        park(shell, request, interruptibly);
      }
    }
    Object outcome = request.outcome;
    if (outcome instanceof RuntimeException failure) {
      throw here(failure);
    }
    return outcome instanceof Hold hold ? hold : null;
  }

  private static void park(LockShell shell, Request request, boolean interruptibly)
      throws InterruptedException {
    boolean interrupted = false;
    try {
      while (request.outcome == null) {
        if (request.takeSignal()) {
          shell.on((state, now, out) -> Transitions.cameBack(state, request, now, out));
        } else if (Thread.interrupted()) {
          if (interruptibly && gaveUp(shell, request, "interrupted")) {
            throw new InterruptedException("interrupted while waiting for " + quote(request.name));
          }
          interrupted = true; // decided already, or not to be interrupted: the flag is kept
        } else if (request instanceof PartRequest part && part.abandoned() != null) {
          if (gaveUp(shell, request, "cancelled")) {
            throw here(part.abandoned());
          }
        } else {
          Answers.beforeWaiting();
          if (request.outcome == null) {
            LockSupport.park(shell);
          }
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * The caller is out of the queue before it learns that it gave up; a second interrupt ends it.
   */
  private static boolean gaveUp(LockShell shell, Request request, String how) {
    boolean gaveUp = shell.gaveUp(request, how);
    Tenure leaving = request.leaving();
    CompletableFuture<?> left = leaving == null ? null : leaving.left;
    if (gaveUp && left != null) {
      Waits.forLeave(left, shell.context.operationTimeout);
    }
    return gaveUp;
  }

  // Thrown in the waiting thread: its own stack is what the reader looks for.
  private static RuntimeException here(RuntimeException cause) {
    cause.addSuppressed(new WaitedHere());
    return cause;
  }

  /** Shows where the waiting thread stood when the failure came from another one. */
  private static final class WaitedHere extends RuntimeException {
    private static final long serialVersionUID = 1L;

    WaitedHere() {
      super("the caller waited here");
    }
  }
}
