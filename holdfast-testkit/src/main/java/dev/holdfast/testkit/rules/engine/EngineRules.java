package dev.holdfast.testkit.rules.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Kind;
import dev.holdfast.Lease;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;

/** A group of tests over clients of one store. */
public abstract class EngineRules {

  /** One client. */
  protected Holdfast a;

  /** Another client, as another process would have it. */
  protected Holdfast b;

  /** A lock name that no other test uses. */
  protected String name;

  /** For subclasses. */
  @SuppressWarnings("NullAway.Init") // JUnit calls setUp before each test
  protected EngineRules() {}

  /** The scene of the running test. */
  protected abstract EngineScene scene();

  @BeforeEach
  void setUp() {
    a = scene().client();
    b = scene().client();
    name = scene().name();
  }

  /** What a test does. */
  @FunctionalInterface
  protected interface Body {
    /** Does it. */
    void run() throws Exception;
  }

  /** Runs the body where the store keeps this kind of lock; elsewhere it must be refused. */
  protected void where(Kind kind, Body body) throws Exception {
    if (scene().traits().kinds().contains(kind)) {
      body.run();
      return;
    }
    assertThatThrownBy(() -> make(kind))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining(kind.name());
  }

  private Object make(Kind kind) {
    return switch (kind) {
      case MUTEX -> a.lock(name);
      case READ_WRITE -> a.readWriteLock(name);
      case SEMAPHORE -> a.semaphore(name, 2);
      case ELECTION -> a.election(name);
    };
  }

  /** Releases a lease and waits until the store has confirmed it. */
  protected void release(Lease lease) {
    assertThat(scene().resultInTime(lease.releaseAsync())).isTrue();
  }

  /** Returns whether another client could acquire the lock now; releases it at once. */
  protected boolean isFree(Holdfast client) {
    CompletableFuture<Lease> lease = client.lock(name).tryAcquireAsync();
    Lease taken = scene().result(lease);
    if (taken == null) {
      return false;
    }
    return scene().result(taken.releaseAsync());
  }

  /** How many claims wait in the store. */
  protected int waiters() {
    return waiters(name);
  }

  private int waiters(String lock) {
    return b.inspect(lock).waiters().size();
  }

  /** Waits until a request stands in the store's queue. */
  protected void awaitWaiter() {
    awaitWaiter(name);
  }

  /** Waits until a request for this lock stands in the store's queue. */
  protected void awaitWaiter(String lock) {
    if (scene().traits().fair()) {
      scene().soon("a claim waits in the store", () -> waiters(lock) == 1);
    }
  }

  /** A lock of a client with a brief ttl. */
  protected DistributedLock brief(Holdfast client) {
    return client.lock(name, scene().brief());
  }
}
