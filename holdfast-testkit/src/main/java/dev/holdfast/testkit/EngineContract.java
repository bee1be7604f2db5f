package dev.holdfast.testkit;

import dev.holdfast.testkit.rules.engine.AlterationRules;
import dev.holdfast.testkit.rules.engine.BreakRules;
import dev.holdfast.testkit.rules.engine.ElectionRules;
import dev.holdfast.testkit.rules.engine.EngineScene;
import dev.holdfast.testkit.rules.engine.GivingUpRules;
import dev.holdfast.testkit.rules.engine.HandOffRules;
import dev.holdfast.testkit.rules.engine.HoldRules;
import dev.holdfast.testkit.rules.engine.JobRules;
import dev.holdfast.testkit.rules.engine.KeptClaimRules;
import dev.holdfast.testkit.rules.engine.LeaseRules;
import dev.holdfast.testkit.rules.engine.LoadRules;
import dev.holdfast.testkit.rules.engine.LossRules;
import dev.holdfast.testkit.rules.engine.MultiLockRules;
import dev.holdfast.testkit.rules.engine.ObserverRules;
import dev.holdfast.testkit.rules.engine.ReadWriteRules;
import dev.holdfast.testkit.rules.engine.ReentryRules;
import dev.holdfast.testkit.rules.engine.SemaphoreRules;
import dev.holdfast.testkit.rules.engine.ViewRules;
import dev.holdfast.testkit.rules.engine.VirtualThreadRules;
import dev.holdfast.testkit.rules.engine.WaitingRules;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/**
 * What {@link dev.holdfast.Holdfast} clients promise on top of a store, as tests: re-entry,
 * waiting, hand-off, loss, races. To apply it, say how the store is opened, as for {@link
 * LockStoreContract}.
 *
 * <p>Where the fixture drives the store's clock, the clients run on the same ticker and the tests
 * distinguish early from late; on a real clock they wait for conditions.
 */
public abstract class EngineContract {

  // Mutable state
  private EngineScene scene;

  /** For the store's test. */
  @SuppressWarnings("NullAway.Init") // JUnit calls openScene before each test
  protected EngineContract() {}

  /** Opens the store for one test, or gives access to one that several tests share. */
  protected abstract StoreFixture fixture();

  @BeforeEach
  void openScene() {
    scene = new EngineScene(fixture());
  }

  @AfterEach
  void closeScene() {
    scene.close();
  }

  /** Re-entry. */
  @Nested
  class Reentry extends ReentryRules {
    @Override
    protected EngineScene scene() {
      return scene;
    }
  }

  /** Waiting and giving up. */
  @Nested
  class Waiting extends WaitingRules {
    @Override
    protected EngineScene scene() {
      return scene;
    }
  }

  /** Giving up, and waiting on. */
  @Nested
  class GivingUp extends GivingUpRules {
    @Override
    protected EngineScene scene() {
      return scene;
    }
  }

  /** Passing on within a client. */
  @Nested
  class HandOff extends HandOffRules {
    @Override
    protected EngineScene scene() {
      return scene;
    }
  }

  /** Claims that stay with a client. */
  @Nested
  class Kept extends KeptClaimRules {
    @Override
    protected EngineScene scene() {
      return scene;
    }
  }

  /** Loss. */
  @Nested
  class Loss extends LossRules {
    @Override
    protected EngineScene scene() {
      return scene;
    }
  }

  /** Locks broken by an operator. */
  @Nested
  class Breaks extends BreakRules {
    @Override
    protected EngineScene scene() {
      return scene;
    }
  }

  /** How long, and by whom. */
  @Nested
  class Holds extends HoldRules {
    @Override
    protected EngineScene scene() {
      return scene;
    }
  }

  /** What a lease can do. */
  @Nested
  class Leases extends LeaseRules {
    @Override
    protected EngineScene scene() {
      return scene;
    }
  }

  /** Many callers and races. */
  @Nested
  class Load extends LoadRules {
    @Override
    protected EngineScene scene() {
      return scene;
    }
  }

  /** Many readers or one writer. */
  @Nested
  class ReadWrite extends ReadWriteRules {
    @Override
    protected EngineScene scene() {
      return scene;
    }
  }

  /** As the locks of the JDK. */
  @Nested
  class Views extends ViewRules {
    @Override
    protected EngineScene scene() {
      return scene;
    }
  }

  /** A number of permits. */
  @Nested
  class Semaphores extends SemaphoreRules {
    @Override
    protected EngineScene scene() {
      return scene;
    }
  }

  /** Several locks as one. */
  @Nested
  class MultiLocks extends MultiLockRules {
    @Override
    protected EngineScene scene() {
      return scene;
    }
  }

  /** One leader at a time. */
  @Nested
  class Elections extends ElectionRules {
    @Override
    protected EngineScene scene() {
      return scene;
    }
  }

  /** The leader, seen from outside. */
  @Nested
  class Observers extends ObserverRules {
    @Override
    protected EngineScene scene() {
      return scene;
    }
  }

  /** Jobs of a schedule. */
  @Nested
  class Jobs extends JobRules {
    @Override
    protected EngineScene scene() {
      return scene;
    }
  }

  /** Virtual threads: on an older JVM reported as not run. */
  @Nested
  @EnabledForJreRange(min = JRE.JAVA_21)
  class VirtualThreads extends VirtualThreadRules {
    @Override
    protected EngineScene scene() {
      return scene;
    }
  }

  /** Altered proofs and handles. */
  @Nested
  class Alterations extends AlterationRules {
    @Override
    protected EngineScene scene() {
      return scene;
    }
  }
}
