package dev.holdfast.testkit.rules;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;

/** A group of tests over clients of one store. */
public abstract class EngineRules {

  /** One client. */
  protected Holdfast a;

  /** Another client, as another process would have it. */
  protected Holdfast b;

  /** A lock name that nobody else uses. */
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

  /** Whether somebody else could take the lock now; gives it back at once. */
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
    return b.inspect(name).waiters().size();
  }

  /** Waits until a request of another client stands in the store's queue. */
  protected void awaitWaiter() {
    if (scene().traits().fair()) {
      scene().soon("somebody waits in the store", () -> waiters() == 1);
    }
  }

  /** A lock of a client with a brief ttl. */
  protected DistributedLock brief(Holdfast client) {
    return client.lock(name, scene().brief());
  }
}
