package dev.holdfast.testkit;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.testkit.rules.engine.EngineScene;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Pitfall 29. Seen from outside: once a lock is not used any more, the very text of its name can be
 * collected, so neither client nor store has kept anything under it. On the memory store, because
 * others may well remember a name for other reasons.
 */
class NothingIsKeptTest {

  @Test
  void no_name_is_kept_after_its_last_lease_is_closed() throws Exception {
    try (EngineScene scene = new EngineScene(new MemoryFixture())) {
      Holdfast one = scene.client();
      Holdfast other = scene.client();
      List<WeakReference<String>> names = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        names.add(useOnce(scene.name(), one, other));
      }
      scene.pass(Duration.ofSeconds(1)); // timers of slices that were still running

      scene.eventually(
          "the names are forgotten",
          () -> {
            System.gc();
            return names.stream().allMatch(name -> name.refersTo(null));
          });
    }
  }

  private static WeakReference<String> useOnce(String name, Holdfast one, Holdfast other)
      throws InterruptedException {
    one.lock(name).acquire().close();
    try (Lease held = one.lock(name).acquire()) {
      CompletableFuture<Lease> stranger = other.lock(name).acquireAsync();
      CompletableFuture<Lease> local = one.lock(name).acquireAsync();
      stranger.cancel(true);
      local.cancel(true);
    }
    return new WeakReference<>(name);
  }
}
