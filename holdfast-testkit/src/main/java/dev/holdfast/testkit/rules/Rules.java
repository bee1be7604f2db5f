package dev.holdfast.testkit.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.Kind;
import dev.holdfast.LockOptions;
import dev.holdfast.spi.Busy;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Granted;
import dev.holdfast.testkit.Deadlines;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;

/**
 * A group of tests over one scene.
 *
 * <p>What a store's traits deny is not skipped: the {@code where…} methods assert instead that the
 * store refuses it.
 */
public abstract class Rules {

  /** What the store's clock and ours may differ by within one test. */
  public static final Duration CLOCK_TOLERANCE = Duration.ofMillis(20);

  /** One client of the store. */
  protected Client a;

  /** Another client of the same store. */
  protected Client b;

  /** A lock name that no other test uses. */
  protected String lock;

  /** For subclasses. */
  @SuppressWarnings("NullAway.Init") // JUnit calls setUp before each test
  protected Rules() {}

  /** The scene of the running test. */
  protected abstract Scene scene();

  @BeforeEach
  void setUp() {
    a = scene().first();
    b = scene().client();
    lock = scene().name();
  }

  /** What a test does. */
  @FunctionalInterface
  protected interface Body {
    /** Runs it. */
    void run() throws Exception;
  }

  /** Returns whether a join without waiting is granted. */
  protected static boolean granted(Client client, Claim claim) {
    return client.join(claim) instanceof Granted;
  }

  /** For stores that can keep a lock taken after its release; any other must refuse to. */
  protected void whereLingers(Body body) throws Exception {
    if (scene().traits().lingers()) {
      body.run();
      return;
    }
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                scene()
                    .traits()
                    .check(
                        a.store().toString(),
                        LockOptions.defaults()
                            .ttl(scene().lasting())
                            .minHold(Duration.ofSeconds(1))))
        .withMessageContaining("minHold");
    Claim claim = scene().mutex(lock);
    a.granted(claim);
    Departure lingering = new Departure(claim, scene().brief(), false);
    Answers.refused("a linger", () -> a.store().leave(List.of(lingering), Deadlines.far()));
    a.holds(claim);
  }

  /** For stores that keep a queue; any other must answer busy to those who would wait. */
  protected void whereFair(Body body) throws Exception {
    if (scene().traits().fair()) {
      body.run();
      return;
    }
    Claim holder = scene().mutex(lock);
    a.granted(holder);
    Claim other = scene().mutex(lock);
    assertThat(b.queue(other))
        .as("a store that keeps no queue answers busy to those who would wait")
        .isInstanceOf(Busy.class);
    a.left(holder);
    b.gone(other);
  }

  /** For stores that keep such locks; any other must refuse them. */
  protected void whereKept(Kind kind, Body body) throws Exception {
    if (scene().traits().kinds().contains(kind)) {
      body.run();
      return;
    }
    int capacity = kind == Kind.READ_WRITE ? Kind.UNBOUNDED : kind == Kind.SEMAPHORE ? 2 : 1;
    Claim claim = scene().claim(lock, kind, 1, capacity, scene().lasting());
    Answers.refused("a lock of kind " + kind, () -> a.store().join(claim, false, Deadlines.far()));
  }

  /** For stores that can list the locks in use; any other must refuse to. */
  protected void whereLists(Body body) throws Exception {
    if (scene().traits().lists()) {
      body.run();
      return;
    }
    a.granted(scene().mutex(scene().name()));
    Answers.refused("a listing", () -> b.store().list(lock, 10));
  }
}
