package dev.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Kind;
import dev.holdfast.Owner;
import dev.holdfast.StoreException;
import dev.holdfast.Traits;
import dev.holdfast.memory.MemoryRegister;
import dev.holdfast.register.RegisterLockStore;
import dev.holdfast.spi.Busy;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Tokens;
import dev.holdfast.spi.Unknown;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** What is particular to locks in a register: round trips, lost answers, lost entries. */
class RegisterLockStoreTest {

  private static final Duration TTL = Duration.ofSeconds(30);

  private final ManualTicker ticker = new ManualTicker();
  private final MemoryRegister memory = new MemoryRegister(ticker);
  private final BadLine line = new BadLine(memory);
  private final RegisterLockStore store =
      new RegisterLockStore(line, RegisterLockStore.baseTraits().build(), ticker);

  @Test
  void taking_renewing_and_releasing_are_one_round_trip_each() {
    Claim claim = claim("one");

    join(claim);
    assertThat(line.taken()).containsExactly("compareAndSet");
    refresh(claim);
    assertThat(line.taken()).containsExactly("compareAndSet");
    refresh(claim);
    assertThat(line.taken()).containsExactly("compareAndSet");
    assertThat(leave(Departure.of(claim))).isEqualTo(Left.LEFT);
    assertThat(line.taken()).containsExactly("compareAndSet");
  }

  @Test
  void a_renewal_whose_answer_was_lost_is_found_by_the_next_one() {
    Claim claim = claim("one");
    long token = ((Granted) join(claim)).token();

    line.loseAnswer();
    assertThat(refresh(claim)).isInstanceOf(Unknown.class);

    assertThat(refresh(claim)).isEqualTo(new Granted(token));
    assertThat(leave(Departure.of(claim))).isEqualTo(Left.LEFT);
  }

  @Test
  void spares_whose_answer_was_lost_are_not_given_twice() {
    Claim claim = claim("one");
    long token = ((Granted) join(claim)).token();

    line.loseAnswer();
    refresh(claim.asking(5, 0));

    assertThat(refresh(claim.asking(5, 0))).isEqualTo(new Granted(token, new Tokens(token + 6, 5)));
  }

  @Test
  void a_release_whose_answer_was_lost_learns_that_the_claim_is_gone() {
    Claim claim = claim("one");
    join(claim);

    line.loseAnswer();
    assertThat(leave(Departure.of(claim))).isEqualTo(Left.UNKNOWN);

    assertThat(leave(Departure.of(claim))).isEqualTo(Left.GONE);
    assertThat(join(claim("two"))).isInstanceOf(Granted.class);
  }

  @Test
  void a_join_whose_answer_was_lost_is_found_by_the_next_one() {
    Claim claim = claim("one");
    line.loseAnswer();
    assertThatThrownBy(() -> join(claim)).hasRootCauseInstanceOf(StoreException.class);

    assertThat(join(claim)).isInstanceOf(Granted.class);
  }

  @Test
  void a_join_that_enters_after_its_tombstone_is_taken_back() {
    Claim claim = claim("one");
    CompletableFuture<Void> delay = line.delayAnswer();
    CompletableFuture<JoinAnswer> join =
        store.join(claim, false, Deadlines.far()).toCompletableFuture();
    line.hide("lock"); // the leave looks for the claim before the join arrives
    assertThat(leave(Departure.withTombstone(claim))).isEqualTo(Left.GONE);
    line.show();

    delay.complete(null);

    assertThat(join.join()).isInstanceOf(Busy.class);
    assertThat(join(claim("two"))).isInstanceOf(Granted.class);
  }

  @Test
  void a_withdrawn_join_without_an_answer_is_looked_for_once_more() {
    Claim claim = claim("one");
    line.loseAnswer();
    assertThatThrownBy(() -> join(claim)).hasRootCauseInstanceOf(StoreException.class);
    line.hide("lock"); // the leave looks for the claim before the join arrives
    assertThat(leave(Departure.withTombstone(claim))).isEqualTo(Left.GONE);
    line.show();
    assertThat(join(claim("two"))).isInstanceOf(Busy.class);

    ticker.advance(Duration.ofSeconds(1));

    assertThat(join(claim("two"))).isInstanceOf(Granted.class);
  }

  @Test
  void a_tombstone_is_forgotten_after_the_ttl() {
    Claim claim = claim("one");
    leave(Departure.withTombstone(claim));
    assertThat(join(claim)).isInstanceOf(Busy.class);

    ticker.advance(TTL);

    assertThat(join(claim)).isInstanceOf(Granted.class);
  }

  @Test
  void an_entry_that_the_register_dropped_is_gone_and_the_next_token_is_greater() {
    Claim claim = claim("one");
    long token = ((Granted) join(claim.asking(1023, 0))).token();

    memory.evict("lock");

    assertThat(refresh(claim)).isEqualTo(Gone.GONE);
    assertThat(leave(Departure.of(claim))).isEqualTo(Left.GONE);
    assertThat(((Granted) join(claim("two"))).token()).isGreaterThan(token + 1023);
  }

  @Test
  void a_claim_is_never_given_more_spares_than_its_revision_has() {
    Claim claim = claim("one");
    Granted granted = (Granted) join(claim.asking(2_000, 0));
    assertThat(granted.spares().count()).isEqualTo(Tokens.SPARES_OF_REVISION);

    assertThat(refresh(claim.asking(1, 0))).isEqualTo(new Granted(granted.token()));
  }

  @Test
  void a_register_that_does_not_answer_is_unknown_and_never_busy_or_gone() {
    Claim claim = claim("one");
    join(claim);
    line.cut();

    assertThatThrownBy(() -> join(claim("two"))).hasRootCauseInstanceOf(StoreException.class);
    assertThat(refresh(claim)).isInstanceOf(Unknown.class);
    assertThat(leave(Departure.of(claim))).isEqualTo(Left.UNKNOWN);
    assertThatThrownBy(() -> store.inspect("lock").toCompletableFuture().join())
        .isInstanceOf(CompletionException.class);
  }

  @Test
  void a_record_of_another_version_is_unknown_and_left_alone() {
    memory.compareAndSet("lock", 0, "9 from the future", TTL);

    assertThatThrownBy(() -> join(claim("one"))).hasMessageContaining("format");
    assertThat(refresh(claim("one"))).isInstanceOf(Unknown.class);
    assertThat(memory.read("lock").toCompletableFuture().join()).isPresent();
  }

  @Test
  void traits_that_no_register_can_keep_are_refused() {
    for (Traits.Builder traits :
        List.of(
            RegisterLockStore.baseTraits().fair(),
            RegisterLockStore.baseTraits().pushes(),
            RegisterLockStore.baseTraits().allKinds(),
            Traits.builder())) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new RegisterLockStore(memory, traits.build(), ticker))
          .withMessageContaining("baseTraits");
    }
  }

  private JoinAnswer join(Claim claim) {
    return store.join(claim, false, Deadlines.far()).toCompletableFuture().join();
  }

  private Standing refresh(Claim claim) {
    return store.refresh(List.of(claim), Deadlines.far()).toCompletableFuture().join().get(claim);
  }

  private Left leave(Departure departure) {
    return store
        .leave(List.of(departure), Deadlines.far())
        .toCompletableFuture()
        .join()
        .get(departure.claim());
  }

  private static Claim claim(String id) {
    Owner owner = new Owner("host", 1, "thread", "client", "");
    return new Claim(id, "lock", Kind.MUTEX, 1, 1, owner, TTL, null, 0, 0);
  }
}
