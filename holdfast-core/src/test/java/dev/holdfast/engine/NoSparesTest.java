package dev.holdfast.engine;

import static dev.holdfast.engine.Scene.MUTEX;
import static dev.holdfast.engine.Scene.READ;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Lease;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Standing;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A store that reserves no tokens, or again those it has reserved before: hand-off makes do. */
class NoSparesTest {

  private static final class Stingy extends ForwardingStore {
    Stingy(LockStore inner) {
      super(inner);
    }

    @Override
    public CompletionStage<JoinAnswer> join(Claim claim, boolean wait, Deadline deadline) {
      return super.join(claim, wait, deadline)
          .thenApply(
              answer -> answer instanceof Granted grant ? new Granted(grant.token()) : answer);
    }

    @Override
    public CompletionStage<Map<Claim, Standing>> refresh(
        Collection<Claim> claims, Deadline deadline) {
      return super.refresh(claims, deadline)
          .thenApply(
              standings -> {
                Map<Claim, Standing> poorer = new HashMap<>(standings);
                poorer.replaceAll(
                    (claim, standing) ->
                        standing instanceof Granted grant ? new Granted(grant.token()) : standing);
                return poorer;
              });
    }
  }

  private final Scene scene = Scene.on(Stingy::new);

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void each_waiter_gets_its_own_claim() {
    List<CompletableFuture<Lease>> all = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      all.add(scene.request("x", MUTEX));
    }
    List<Long> tokens = new ArrayList<>();
    for (CompletableFuture<Lease> each : all) {
      assertThat(each).isCompleted();
      tokens.add(each.join().token());
      each.join().close();
    }
    assertThat(tokens).isSorted().doesNotHaveDuplicates();
    scene.endIdleClaims();
    assertThat(scene.engine.names()).isZero();
    assertThat(scene.store.calls()).isLessThan(50);
  }

  @Test
  void readers_run_together_all_the_same() {
    List<Long> tokens = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      CompletableFuture<Lease> reader = scene.request("x", READ);
      assertThat(reader).isCompleted();
      tokens.add(reader.join().token());
    }
    assertThat(tokens).doesNotHaveDuplicates();
  }
}
