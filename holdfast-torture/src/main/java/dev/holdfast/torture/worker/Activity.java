package dev.holdfast.torture.worker;

import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LockTimeoutException;
import dev.holdfast.StoreException;
import dev.holdfast.testkit.promise.Construct;
import dev.holdfast.testkit.promise.Request;
import dev.holdfast.testkit.promise.What;
import dev.holdfast.torture.worker.Recorder.Attempt;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What one thread of a worker does again and again. Not thread-safe. */
abstract class Activity implements Runnable {

  /** How the text of an exception begins that no caller should ever see. */
  static final String UNEXPECTED = "unexpected: ";

  private static final int CARELESS_ONE_IN = 4;
  private static final int LATE_ONE_IN = 5;

  final Scene scene;

  Activity(Scene scene) {
    this.scene = scene;
  }

  /** Once. */
  abstract void turn() throws Exception;

  @Override
  public void run() {
    while (scene.isOn()) {
      try {
        turn();
        scene.rest(scene.between(0.005, 0.06));
      } catch (Exception | Error e) {
        scene
            .recorder()
            .asks(scene.who(), Construct.NONE, "", Request.mutex(), "a turn that failed")
            .is(What.REFUSED, 0, UNEXPECTED + stack(e));
      }
    }
  }

  Attempt asks(Construct construct, String lock, Request request, String how) {
    return scene.recorder().asks(scene.who(), construct, lock, request, how);
  }

  /** Asks in one of the ways, and records what comes of it; null if there is no lease. */
  @Nullable Hold ask(Construct construct, String name, Request request, Lockable lock) {
    Way way = Way.values()[scene.random().nextInt(Way.values().length)];
    Duration wait = scene.between(0.05, 1.5);
    Attempt attempt =
        asks(construct, name, way.request(request, wait), way.name().toLowerCase(Locale.ROOT));
    Lease lease = asked(attempt, () -> way.ask(lock, wait, scene));
    return lease == null
        ? null
        : new Hold(attempt, lease, way != Way.FUTURE && way != Way.CANCELLED);
  }

  /** Asks, and records why there is no lease if there is none. */
  static <T> @Nullable T asked(Attempt attempt, Asking<T> asking) {
    try {
      T lease = asking.ask();
      if (lease == null) {
        attempt.is(What.BUSY, 0, "");
      }
      return lease;
    } catch (Exception e) {
      Throwable why = cause(e);
      if (why instanceof LockTimeoutException) {
        attempt.is(What.BUSY, 0, "past its limit");
      } else if (why instanceof InterruptedException || why instanceof CancellationException) {
        attempt.is(What.CANCELLED, 0, "");
      } else if (why instanceof StoreException) {
        attempt.is(What.UNKNOWN, 0, String.valueOf(why.getMessage()));
      } else if (why instanceof LeaseLostException) {
        attempt.is(What.REFUSED, 0, String.valueOf(why.getMessage()));
      } else {
        attempt.is(What.REFUSED, 0, UNEXPECTED + stack(why));
      }
      return null;
    }
  }

  /** Works under a lease for a while: enters, writes now and later, and looks at the lease. */
  void work(Attempt attempt, Lease lease, Duration time, boolean fenced) throws Exception {
    long end = System.nanoTime() + time.toNanos();
    Duration step = scene.settings().ttl().dividedBy(8);
    boolean entered = fenced && scene.ledger().enter(lease.proof());
    while (attempt.valid(lease)) {
      if (entered) {
        write(lease);
      }
      long left = end - System.nanoTime();
      if (left <= 0 || !scene.isOn()) {
        return;
      }
      TimeUnit.NANOSECONDS.sleep(Math.min(left, step.toNanos()));
    }
    attempt.is(What.OVER, lease.token(), "");
    // As a thread does that was between its last look and its write.
    if (entered && scene.onceIn(CARELESS_ONE_IN)) {
      write(lease);
    }
  }

  /** Gives a lease back, and records the store's answer. */
  void release(Attempt attempt, Lease lease) {
    long token = lease.token();
    if (scene.settings().plant() == Plant.LONG_VALIDITY) {
      overstay(lease);
    }
    attempt.is(What.RELEASING, token, "");
    try {
      boolean ours = scene.onceIn(3) ? lease.releaseAsync().get() : lease.release();
      attempt.is(ours ? What.RELEASED : What.GONE, token, "");
    } catch (StoreException | ExecutionException | InterruptedException e) {
      Throwable why = cause(e);
      if (!(why instanceof StoreException)) { // no answer: nothing is known, and nothing recorded
        attempt.is(What.REFUSED, token, UNEXPECTED + stack(why));
      }
    } finally {
      lease.close();
    }
  }

  private void write(Lease lease) {
    boolean late = scene.onceIn(LATE_ONE_IN) || scene.settings().plant() == Plant.UNFENCED;
    scene.ledger().write(lease.proof(), late ? scene.between(0.1, 2) : Duration.ZERO);
  }

  private void overstay(Lease lease) {
    lease.close();
    try {
      scene.rest(scene.settings().ttl().dividedBy(4));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static Throwable cause(Exception e) {
    Throwable cause = e.getCause();
    return e instanceof ExecutionException && cause != null ? cause : e;
  }

  private static String stack(Throwable e) {
    StringBuilder text = new StringBuilder(String.valueOf(e));
    for (StackTraceElement element : e.getStackTrace()) {
      text.append(" at ").append(element);
    }
    return e.getCause() == null ? text.toString() : text + " because of " + stack(e.getCause());
  }

  /** A question that may be answered by null. */
  interface Asking<T> {
    @Nullable T ask() throws Exception;
  }

  /**
   * A lease and its history.
   *
   * @param attempt its history
   * @param lease the lease
   * @param ours whether this thread may enter again
   */
  record Hold(Attempt attempt, Lease lease, boolean ours) {

    Hold {
      attempt.granted(What.GRANTED, lease);
      watch(attempt, lease);
    }

    /** Records the loss when the client learns of it. */
    static void watch(Attempt attempt, Lease lease) {
      long token = lease.token();
      lease.onLost(() -> attempt.is(What.LOST, token, ""));
    }
  }
}
