package dev.holdfast.testkit;

import dev.holdfast.testkit.rules.Scene;
import dev.holdfast.testkit.rules.store.DamagedRecordRules;
import dev.holdfast.testkit.rules.store.EvictionRules;
import dev.holdfast.testkit.rules.store.ExclusionRules;
import dev.holdfast.testkit.rules.store.ExpiryRules;
import dev.holdfast.testkit.rules.store.FloorRules;
import dev.holdfast.testkit.rules.store.InspectRules;
import dev.holdfast.testkit.rules.store.JoinRules;
import dev.holdfast.testkit.rules.store.KeepableRules;
import dev.holdfast.testkit.rules.store.KeepableTryRules;
import dev.holdfast.testkit.rules.store.LeaveRules;
import dev.holdfast.testkit.rules.store.MismatchRules;
import dev.holdfast.testkit.rules.store.NameRules;
import dev.holdfast.testkit.rules.store.ProcessRules;
import dev.holdfast.testkit.rules.store.QueueRules;
import dev.holdfast.testkit.rules.store.RefreshRules;
import dev.holdfast.testkit.rules.store.RestartRules;
import dev.holdfast.testkit.rules.store.SecretRules;
import dev.holdfast.testkit.rules.store.TokenRules;
import dev.holdfast.testkit.rules.store.TraitRules;
import dev.holdfast.testkit.rules.store.WakeRules;
import dev.holdfast.testkit.rules.store.WeightRules;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;

/**
 * What every store promises, as tests. To apply it, say how the store is opened:
 *
 * <pre>{@code
 * class MyLockStoreContractTest extends LockStoreContract {
 *   @Override protected StoreFixture fixture() { return new MyFixture(); }
 * }
 * }</pre>
 *
 * <p>What the store's traits claim is tested; what they deny must be refused with a clear error.
 * Times come from the traits. Tests that wait do so for a condition, so a slow machine does not
 * fail them; where the fixture can drive the store's clock, nothing waits at all.
 */
public abstract class LockStoreContract {

  // Mutable state
  private Scene scene;

  /** For the store's test. */
  @SuppressWarnings("NullAway.Init") // JUnit calls openScene before each test
  protected LockStoreContract() {}

  /** Opens the store for one test, or gives access to one that several tests share. */
  protected abstract StoreFixture fixture();

  @BeforeEach
  void openScene() {
    scene = new Scene(fixture());
  }

  @AfterEach
  void closeScene() {
    scene.close();
  }

  /** One holder at a time. */
  @Nested
  class Exclusion extends ExclusionRules {
    @Override
    protected Scene scene() {
      return scene;
    }
  }

  /** Those who wait stand in a queue. */
  @Nested
  class Queue extends QueueRules {
    @Override
    protected Scene scene() {
      return scene;
    }
  }

  /** The prefix-sum rule. */
  @Nested
  class Weights extends WeightRules {
    @Override
    protected Scene scene() {
      return scene;
    }
  }

  /** What a lock is used as. */
  @Nested
  class Mismatches extends MismatchRules {
    @Override
    protected Scene scene() {
      return scene;
    }
  }

  /** A join can be repeated and taken back. */
  @Nested
  class Joining extends JoinRules {
    @Override
    protected Scene scene() {
      return scene;
    }
  }

  /** A leave ends exactly the claim it names. */
  @Nested
  class Leaving extends LeaveRules {
    @Override
    protected Scene scene() {
      return scene;
    }
  }

  /** A refresh reports and renews; it never revives. */
  @Nested
  class Refreshing extends RefreshRules {
    @Override
    protected Scene scene() {
      return scene;
    }
  }

  /** A claim ends with its ttl. */
  @Nested
  class Expiry extends ExpiryRules {
    @Override
    protected Scene scene() {
      return scene;
    }
  }

  /** Tokens rise. */
  @Nested
  class Tokens extends TokenRules {
    @Override
    protected Scene scene() {
      return scene;
    }
  }

  /** Tokens can be raised. */
  @Nested
  class Floors extends FloorRules {
    @Override
    protected Scene scene() {
      return scene;
    }
  }

  /** A client that does not know the id can do nothing. */
  @Nested
  class Secrets extends SecretRules {
    @Override
    protected Scene scene() {
      return scene;
    }
  }

  /** Forced release. */
  @Nested
  class Eviction extends EvictionRules {
    @Override
    protected Scene scene() {
      return scene;
    }
  }

  /** Records that cannot be read. */
  @Nested
  class DamagedRecords extends DamagedRecordRules {
    @Override
    protected Scene scene() {
      return scene;
    }
  }

  /** Any name works and none collide. */
  @Nested
  class Names extends NameRules {
    @Override
    protected Scene scene() {
      return scene;
    }
  }

  /** Inspect and list tell the truth. */
  @Nested
  class Inspection extends InspectRules {
    @Override
    protected Scene scene() {
      return scene;
    }
  }

  /** Hints. */
  @Nested
  class WakingUp extends WakeRules {
    @Override
    protected Scene scene() {
      return scene;
    }
  }

  /** Claims that their client may keep. */
  @Nested
  class Keepable extends KeepableRules {
    @Override
    protected Scene scene() {
      return scene;
    }
  }

  /** Tries that meet such a claim. */
  @Nested
  class KeepableTries extends KeepableTryRules {
    @Override
    protected Scene scene() {
      return scene;
    }
  }

  /** Traits. */
  @Nested
  class WhatTheTraitsSay extends TraitRules {
    @Override
    protected Scene scene() {
      return scene;
    }
  }

  /** What is kept over a restart. */
  @Nested
  class Restart extends RestartRules {
    @Override
    protected Scene scene() {
      return scene;
    }
  }

  /** Other processes, and kill -9. */
  @Nested
  class Processes extends ProcessRules {
    @Override
    protected Scene scene() {
      return scene;
    }
  }
}
