package dev.holdfast.testkit.rules.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Owner;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.Ticker;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.History;
import dev.holdfast.testkit.History.Attempt;
import dev.holdfast.testkit.rules.Answers;
import dev.holdfast.testkit.rules.Client;
import dev.holdfast.testkit.rules.Rules;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** One holder at a time. */
public abstract class ExclusionRules extends Rules {

  private static final int TURNS = 25;

  @Test
  void a_free_lock_is_granted_at_once() {
    Claim claim = scene().mutex(lock);

    assertThat(a.granted(claim).token()).isPositive();
    assertThat(a.holds(claim).token()).isPositive();
  }

  @Test
  void a_free_lock_is_granted_at_once_to_a_claim_that_would_wait_too() {
    assertThat(a.queue(scene().mutex(lock))).isInstanceOf(Granted.class);
  }

  @Test
  void a_held_lock_is_busy_for_everybody_else() {
    a.granted(scene().mutex(lock));

    b.busy(scene().mutex(lock));
    a.busy(scene().mutex(lock));
  }

  @Test
  void busy_names_the_holder_where_the_store_tells() {
    Claim holder = scene().mutex(lock);
    a.granted(holder);

    Owner shown = b.busy(scene().mutex(lock)).holder();

    assertThat(shown).isIn(null, holder.owner());
  }

  @Test
  void a_claim_that_does_not_wait_leaves_nothing_behind() {
    Claim holder = scene().mutex(lock);
    a.granted(holder);
    Claim tried = scene().mutex(lock);
    b.busy(tried);

    assertThat(a.inspect(lock).waiters()).isEmpty();
    a.left(holder);
    assertThat(a.inspect(lock).isHeld()).isFalse();
    b.gone(tried);
  }

  @Test
  void a_lock_that_was_left_is_free_for_the_next() {
    Claim first = scene().mutex(lock);
    a.granted(first);
    a.left(first);

    b.granted(scene().mutex(lock));
  }

  @Test
  void locks_of_different_names_do_not_disturb_each_other() {
    a.granted(scene().mutex(lock));

    b.granted(scene().mutex(scene().name()));
  }

  @Test
  void one_of_many_that_join_at_the_same_time_is_granted() {
    List<CompletionStage<JoinAnswer>> answers = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      Claim claim = scene().mutex(lock);
      Client client = i % 2 == 0 ? a : b;
      answers.add(
          CompletableFuture.supplyAsync(
                  () -> client.store().join(claim, false, Deadlines.far()), scene().threads())
              .thenCompose(stage -> stage));
    }

    List<JoinAnswer> all = answers.stream().map(Answers::of).toList();

    assertThat(all).filteredOn(Granted.class::isInstance).hasSize(1);
  }

  @Test
  void holders_never_overlap_however_many_contend() throws Exception {
    History history = new History("contention on " + lock, Ticker.system("kit-history"));
    List<CompletableFuture<Void>> contenders = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      String who = "client-" + i;
      Client client = scene().client();
      contenders.add(
          CompletableFuture.runAsync(() -> contend(client, who, history), scene().threads()));
    }

    contenders.forEach(Answers::of);

    history.check();
    assertThat(history.grants()).isEqualTo(4 * TURNS);
  }

  private void contend(Client client, String who, History history) {
    for (int turn = 0; turn < TURNS; turn++) {
      Claim claim = scene().mutex(lock);
      Attempt attempt = history.attempt(who, lock);
      attempt.granted(insist(client, claim).token());
      client.holds(
          claim); // takes a moment, in which no other client may believe that it holds the lock
      attempt.released();
      client.left(claim);
    }
  }

  private static Granted insist(Client client, Claim claim) {
    long start = System.nanoTime();
    Object answer = client.queue(claim);
    while (System.nanoTime() - start < Answers.PATIENCE.toNanos() / 2) {
      if (answer instanceof Granted granted) {
        return granted;
      }
      LockSupport.parkNanos(100_000);
      answer = answer instanceof Queued ? client.refresh(claim) : client.queue(claim);
    }
    throw new AssertionError("others come and go, and " + claim + " is never granted");
  }

  @Test
  void the_claims_stay_when_the_client_that_joined_is_closed() {
    Client third = scene().client();
    Claim holder = scene().mutex(lock);
    third.granted(holder);

    third.close();

    b.busy(scene().mutex(lock));
  }
}
