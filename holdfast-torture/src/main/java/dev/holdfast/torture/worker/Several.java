package dev.holdfast.torture.worker;

import dev.holdfast.Lease;
import dev.holdfast.LeaseState;
import dev.holdfast.MultiLease;
import dev.holdfast.MultiLock;
import dev.holdfast.StoreException;
import dev.holdfast.testkit.promise.Construct;
import dev.holdfast.testkit.promise.Request;
import dev.holdfast.testkit.promise.What;
import dev.holdfast.torture.worker.Recorder.Attempt;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/** Takes several locks as one, sometimes starting over instead of waiting with some in hand. */
final class Several extends Activity {

  private static final List<String> NAMES =
      List.of(LockNames.SEVERAL_A, LockNames.SEVERAL_B, LockNames.SEVERAL_C);

  Several(Scene scene) {
    super(scene);
  }

  @Override
  void turn() throws Exception {
    List<String> names = new ArrayList<>(NAMES);
    Collections.shuffle(names, scene.random());
    MultiLock lock = scene.locks().lockAll(names.subList(0, 1 + scene.random().nextInt(3)));
    boolean startsOver = scene.onceIn(3);
    Duration wait = scene.between(0.05, 1.5);
    List<Attempt> attempts = new ArrayList<>();
    for (String name : lock.names()) {
      attempts.add(
          asks(
              Construct.SEVERAL,
              name,
              Request.mutex().waiting(wait),
              startsOver ? "starting over" : "in order"));
    }
    MultiLease lease = asked(attempts, startsOver ? lock.startingOver() : lock, wait);
    if (lease != null) {
      hold(attempts, lease);
    }
  }

  private static @Nullable MultiLease asked(List<Attempt> attempts, MultiLock lock, Duration wait) {
    MultiLease lease =
        asked(
            attempts.get(0),
            () -> {
              MultiLease answer = lock.tryAcquire(wait);
              if (answer == null && attempts.size() > 1) {
                throw new CancellationException(); // one of them was busy; which, is not said
              }
              return answer;
            });
    if (lease == null) {
      attempts.stream().skip(1).forEach(attempt -> attempt.is(What.CANCELLED, 0, "with others"));
    }
    return lease;
  }

  private void hold(List<Attempt> attempts, MultiLease lease) throws Exception {
    List<Lease> parts = lease.parts();
    for (int i = 0; i < parts.size(); i++) {
      attempts.get(i).granted(What.GRANTED, parts.get(i));
      Hold.watch(attempts.get(i), parts.get(i));
    }
    try {
      Duration time = scene.holdTime().dividedBy(parts.size());
      for (int i = 0; i < parts.size(); i++) {
        work(attempts.get(i), parts.get(i), time, true);
      }
      for (int i = 0; i < parts.size(); i++) {
        attempts.get(i).valid(parts.get(i));
      }
    } finally {
      release(attempts, lease);
    }
  }

  private static void release(List<Attempt> attempts, MultiLease lease) {
    List<Lease> parts = lease.parts();
    for (int i = 0; i < parts.size(); i++) {
      attempts.get(i).is(What.RELEASING, parts.get(i).token(), "");
    }
    try (lease) {
      boolean ours = lease.release();
      for (int i = 0; i < parts.size(); i++) {
        boolean lost = parts.get(i).state() == LeaseState.LOST;
        if (lost || ours) {
          What end = lost ? What.GONE : What.RELEASED;
          attempts.get(i).is(end, parts.get(i).token(), "as one of several");
        }
      }
    } catch (StoreException unanswered) {
      // Nothing is known, and nothing recorded.
    }
  }
}
