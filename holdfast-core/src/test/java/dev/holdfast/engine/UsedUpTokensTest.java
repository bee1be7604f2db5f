package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.MUTEX;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Lease;
import dev.holdfast.engine.state.Slice;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Tokens;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A store that has few tokens for each claim, as those have that make them of revisions. */
class UsedUpTokensTest {

  private static final int OF_A_CLAIM = 1023;

  private static final class Revisions extends ForwardingStore {
    private final Map<String, Integer> given = new ConcurrentHashMap<>();

    Revisions(LockStore inner) {
      super(inner);
    }

    @Override
    public CompletionStage<JoinAnswer> join(Claim claim, boolean wait, Deadline deadline) {
      return super.join(claim, wait, deadline)
          .thenApply(answer -> answer instanceof Granted grant ? limited(claim, grant) : answer);
    }

    @Override
    public CompletionStage<Map<Claim, Standing>> refresh(
        Collection<Claim> claims, Deadline deadline) {
      return super.refresh(claims, deadline)
          .thenApply(
              standings -> {
                Map<Claim, Standing> limited = new HashMap<>(standings);
                limited.replaceAll(
                    (claim, standing) ->
                        standing instanceof Granted grant ? limited(claim, grant) : standing);
                return limited;
              });
    }

    private Granted limited(Claim claim, Granted grant) {
      int before = given.getOrDefault(claim.id(), 0);
      int count = Math.min(grant.spares().count(), OF_A_CLAIM - before);
      given.put(claim.id(), before + count);
      Tokens spares = count == 0 ? Tokens.NONE : new Tokens(grant.spares().first(), count);
      return new Granted(grant.token(), spares, grant.wanted());
    }
  }

  private final Scene scene = Scene.on(Revisions::new);

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void a_kept_claim_is_left_and_joined_again() {
    List<Long> tokens = new ArrayList<>();
    for (int i = 0; i < 3 * Slice.PASSES; i++) {
      try (Lease lease = scene.request("x", MUTEX).join()) {
        tokens.add(lease.token());
      }
    }
    assertThat(tokens).isSorted().doesNotHaveDuplicates();
    assertThat(scene.store.calls()).isLessThan(50);
  }

  @Test
  void threads_that_wait_are_served_by_the_next_claim() {
    List<CompletableFuture<Lease>> all = new ArrayList<>();
    for (int i = 0; i < 3 * Slice.PASSES; i++) {
      all.add(scene.request("x", MUTEX));
    }
    all.forEach(each -> each.join().close());
    assertThat(scene.store.calls()).isLessThan(50);
  }
}
