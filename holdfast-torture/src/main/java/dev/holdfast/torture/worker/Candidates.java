package dev.holdfast.torture.worker;

import dev.holdfast.Candidacy;
import dev.holdfast.LeaderListener;
import dev.holdfast.Leadership;
import dev.holdfast.LeaseState;
import dev.holdfast.testkit.promise.Construct;
import dev.holdfast.testkit.promise.Request;
import dev.holdfast.testkit.promise.What;
import dev.holdfast.torture.worker.Recorder.Attempt;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Stands for election, leads for a while, and resigns. */
final class Candidates extends Activity {

  private static final String NAME = LockNames.ELECTION;
  private static final Duration LOOK = Duration.ofMillis(100);

  Candidates(Scene scene) {
    super(scene);
  }

  @Override
  void turn() throws Exception {
    Listener listener = new Listener();
    try (Candidacy candidacy = scene.locks().election(NAME).stand(scene.who(), listener)) {
      long resigns = Long.MAX_VALUE;
      boolean entered = false;
      while (scene.isOn()) {
        TimeUnit.NANOSECONDS.sleep(LOOK.toNanos());
        Led led = listener.led;
        if (led == null) {
          resigns = System.nanoTime() + scene.between(0.3, 2).toNanos();
          entered = false;
        } else if (led.attempt().valid(led.leadership())) {
          entered = entered || scene.ledger().enter(led.leadership().proof());
          scene.ledger().write(led.leadership().proof(), Duration.ZERO);
          if (System.nanoTime() - resigns > 0) {
            candidacy.resign();
          }
        }
      }
    }
    listener.attempt.is(What.CANCELLED, 0, "stands no more");
  }

  /** A leadership with its history. */
  private record Led(Attempt attempt, Leadership leadership) {}

  /** Records what the client says of one candidacy. */
  private final class Listener implements LeaderListener {

    // Mutable state
    private volatile Attempt attempt = stands();
    private volatile @Nullable Led led;

    @Override
    public void elected(Leadership leadership) {
      attempt.granted(What.GRANTED, leadership);
      Hold.watch(attempt, leadership);
      led = new Led(attempt, leadership);
    }

    @Override
    public void ended(Leadership leadership) {
      led = null;
      boolean lost = leadership.state() == LeaseState.LOST;
      attempt.is(lost ? What.OVER : What.RELEASING, leadership.token(), "");
      attempt = stands();
    }

    private Attempt stands() {
      return asks(Construct.LEADER, NAME, Request.mutex(), "stands");
    }
  }
}
