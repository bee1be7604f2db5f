package dev.holdfast.testkit.broken;

import dev.holdfast.ClaimInfo;
import dev.holdfast.LockInfo;
import dev.holdfast.Mode;
import dev.holdfast.StoreException;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import java.util.List;
import java.util.function.Supplier;

/** What a store can get wrong so that clients break a promise of the engine. */
enum EngineFlaw implements Flaw {
  GRANTS_TWO(
      QueueFlaw.GRANTS_TWO::sketch,
      "GivingUp#thousands_of_timed_tries_give_no_store_exception_on_a_healthy_store"),

  LEAVES_SOME_JOINS_UNANSWERED(
      () ->
          new Sketch() {
            private int joins;

            @Override
            JoinAnswer join(Claim claim, boolean wait, SketchStore via) {
              if (++joins % 100 == 0) {
                throw new StoreException(claim.lock(), "no answer");
              }
              return super.join(claim, wait, via);
            }
          },
      "GivingUp#thousands_of_timed_tries_give_no_store_exception_on_a_healthy_store"),

  KEEPS_WAITERS_THAT_LEAVE(
      () ->
          new Sketch() {
            @Override
            Left leave(Departure departure) {
              SketchEntry entry = find(begin(departure.claim().lock()), departure.claim());
              return entry != null && !entry.isGranted() ? Left.LEFT : super.leave(departure);
            }
          },
      "GivingUp#after_a_time_out_of_a_waiter_the_next_try_of_another_client_succeeds",
      "GivingUp#after_an_interrupt_of_a_waiter_the_next_try_of_another_client_succeeds",
      "GivingUp#after_a_cancellation_another_client_succeeds_within_one_operation_time_out"),

  TELLS_NO_HOLDER_OF_ITS_END(
      () ->
          new Sketch() {
            @Override
            void wakeEnded(SketchEntry evicted) {}
          },
      "Breaks#a_holder_learns_of_a_break_at_once_where_the_store_tells_it"),

  SHOWS_READERS_AS_WRITERS(
      () ->
          new Sketch() {
            @Override
            LockInfo inspect(String lock) {
              LockInfo info = super.inspect(lock);
              List<ClaimInfo> holders = info.holders().stream().map(this::asWriter).toList();
              return new LockInfo(lock, info.kind(), info.capacity(), holders, info.waiters());
            }

            private ClaimInfo asWriter(ClaimInfo it) {
              return new ClaimInfo(
                  it.owner(),
                  Mode.EXCLUSIVE,
                  it.weight(),
                  it.token(),
                  it.lastToken(),
                  it.age(),
                  it.remaining(),
                  it.keepable(),
                  it.value());
            }
          },
      "Alterations#no_reader_passes_as_a_writer"),

  TELLS_MORE_TOKENS_THAN_IT_KEEPS(
      () ->
          new Sketch() {
            @Override
            long lastTokenTold(String lock) {
              return lastToken(lock) + 1_000_000;
            }
          },
      "Alterations#no_altered_proof_is_believed_and_none_shuts_out_a_later_holder"),

  EVICTS_WHOEVER_HOLDS(
      () ->
          new Sketch() {
            @Override
            boolean evict(String lock, long token) {
              return super.evict(lock, LockStore.ANY_TOKEN);
            }
          },
      "Breaks#a_break_by_token_ends_the_lease_that_has_it_and_no_later_one");

  private final Supplier<Sketch> maker;
  private final List<String> promises;

  EngineFlaw(Supplier<Sketch> maker, String... promises) {
    this.maker = maker;
    this.promises = List.of(promises);
  }

  @Override
  public Sketch sketch() {
    return maker.get();
  }

  /** Group and test, with a # between them. */
  @Override
  public List<String> promises() {
    return promises;
  }
}
