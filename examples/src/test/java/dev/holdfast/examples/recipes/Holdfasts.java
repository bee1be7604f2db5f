package dev.holdfast.examples.recipes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Fence;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.Proof;
import dev.holdfast.StaleTokenException;
import dev.holdfast.testkit.LockTakerProcess;
import java.time.Duration;
import java.util.UUID;

/** The Holdfast calls that do not fail where the recipes do, for any store. */
record Holdfasts(String store) {

  /** Crash: a holder that is killed is replaced. */
  void replaceADeadHolder() throws Exception {
    String name = "recipe/" + UUID.randomUUID();
    try (LockTakerProcess holder = LockTakerProcess.start(store, name, Duration.ofSeconds(2));
        Holdfast locks = Holdfast.connect(store)) {
      holder.awaitToken();
      holder.kill();
      // sample: dead
      try (Lease lease = locks.lock(name).acquire(Duration.ofMinutes(1))) {
        assertThat(lease.isValid()).isTrue(); // granted when the ttl of the dead one had ended
      }
      // end
    }
  }

  /** A late release does not touch another holder's lock. */
  void leaveTheNextHolderAlone() throws Exception {
    try (Holdfast first = Holdfast.connect(store);
        Holdfast second = Holdfast.connect(store)) {
      String name = "recipe/" + UUID.randomUUID();
      Lease late = first.lock(name).acquire();
      second.breakLock(name);
      // sample: late
      try (Lease lease = second.lock(name).acquire()) {
        assertThat(late.release()).isFalse(); // it was not ours any more, and nothing happened
        assertThat(second.verify(lease.proof())).isTrue();
      }
      // end
    }
  }

  /** The holding thread may come in again. */
  void letTheHolderInAgain() throws Exception {
    try (Holdfast locks = Holdfast.connect(store)) {
      String name = "recipe/" + UUID.randomUUID();
      // sample: again
      try (Lease outer = locks.lock(name).acquire();
          Lease inner = locks.lock(name).acquire()) {
        assertThat(inner.token()).isEqualTo(outer.token());
      }
      // end
    }
  }

  /** A holder that was paused is refused at the resource. */
  void refuseAStaleHolder() throws Exception {
    try (Holdfast first = Holdfast.connect(store);
        Holdfast second = Holdfast.connect(store)) {
      String name = "recipe/" + UUID.randomUUID();
      Proof stale = first.lock(name).acquire().proof();
      second.breakLock(name);
      // sample: stale
      Fence fence = Fence.inMemory(); // beside the data
      try (Lease lease = second.lock(name).acquire()) {
        fence.enter(lease.proof());
        assertThatThrownBy(() -> fence.check(stale)).isInstanceOf(StaleTokenException.class);
      }
      // end
    }
  }
}
