package dev.holdfast.spi.support;

import static java.util.concurrent.CompletableFuture.completedFuture;
import static java.util.concurrent.CompletableFuture.failedFuture;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Kind;
import dev.holdfast.Owner;
import dev.holdfast.engine.HandTicker;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Unknown;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PerClaimTest {

  private static final IllegalStateException FAILURE = new IllegalStateException("bad record");

  private final HandTicker ticker = new HandTicker();
  private final List<Integer> sizes = new ArrayList<>();

  private static Claim claim(int number) {
    return new Claim(
        "id-" + number,
        "lock-" + number,
        Kind.MUTEX,
        1,
        1,
        new Owner("host", 1, "main", "client", ""),
        Duration.ofSeconds(30),
        null,
        0,
        0);
  }

  private static List<Claim> claims(int count) {
    return IntStream.range(0, count).mapToObj(PerClaimTest::claim).toList();
  }

  private CompletableFuture<Map<Claim, Standing>> gone(List<Claim> claims) {
    sizes.add(claims.size());
    Map<Claim, Standing> answers = new HashMap<>();
    claims.forEach(claim -> answers.put(claim, Gone.GONE));
    return completedFuture(answers);
  }

  private CompletableFuture<Map<Claim, Standing>> goneUnlessBad(List<Claim> claims) {
    CompletableFuture<Map<Claim, Standing>> gone = gone(claims);
    return claims.contains(claim(3)) ? failedFuture(FAILURE) : gone;
  }

  @Test
  void one_failing_claim_leaves_the_answers_of_the_others() {
    Map<Claim, Standing> answers =
        PerClaim.STANDINGS
            .each(
                claims(3),
                claim ->
                    claim.equals(claim(1))
                        ? failedFuture(FAILURE)
                        : CompletableFuture.<Standing>completedFuture(Gone.GONE))
            .join();

    assertThat(answers)
        .containsOnly(
            Map.entry(claim(0), Gone.GONE),
            Map.entry(claim(1), new Unknown(FAILURE)),
            Map.entry(claim(2), Gone.GONE));
  }

  @Test
  void a_request_that_throws_is_unknown_like_one_that_fails() {
    Map<Claim, Left> answers =
        PerClaim.DEPARTURES
            .each(
                List.of(Departure.of(claim(0))),
                departure -> {
                  throw FAILURE;
                })
            .join();

    assertThat(answers).containsOnly(Map.entry(claim(0), Left.UNKNOWN));
  }

  @Test
  void a_failing_chunk_makes_its_own_claims_unknown() {
    Map<Claim, Standing> answers =
        PerClaim.STANDINGS.inChunks(claims(5), 2, this::goneUnlessBad).join();

    assertThat(sizes).containsExactly(2, 2, 1);
    assertThat(answers)
        .hasSize(5)
        .containsEntry(claim(1), Gone.GONE)
        .containsEntry(claim(2), new Unknown(FAILURE))
        .containsEntry(claim(3), new Unknown(FAILURE))
        .containsEntry(claim(4), Gone.GONE);
  }

  @Test
  void no_claims_are_no_request() {
    assertThat(PerClaim.STANDINGS.inChunks(List.of(), 2, this::gone).join()).isEmpty();
    assertThat(sizes).isEmpty();
  }

  @Test
  void a_failing_request_is_split_until_only_the_bad_claim_is_unknown() {
    Map<Claim, Standing> answers =
        PerClaim.STANDINGS
            .splitting(
                claims(8), 8, Deadline.in(Duration.ofSeconds(1), ticker), this::goneUnlessBad)
            .join();

    assertThat(answers).hasSize(8).containsEntry(claim(3), new Unknown(FAILURE));
    assertThat(answers.values().stream().filter(Gone.GONE::equals)).hasSize(7);
    assertThat(sizes).containsExactly(8, 4, 2, 2, 1, 1, 4);
  }

  @Test
  void nothing_is_split_after_the_deadline() {
    Map<Claim, Standing> answers =
        PerClaim.STANDINGS
            .splitting(claims(8), 4, Deadline.in(Duration.ZERO, ticker), this::goneUnlessBad)
            .join();

    assertThat(sizes).containsExactly(4, 4);
    assertThat(answers.values().stream().filter(Gone.GONE::equals)).hasSize(4);
  }

  @Test
  void a_batch_of_which_nothing_was_answered_fails_as_a_whole() {
    CompletableFuture<Map<Claim, Standing>> answers =
        PerClaim.STANDINGS.splitting(
            claims(2),
            2,
            Deadline.in(Duration.ofSeconds(1), ticker),
            chunk -> failedFuture(FAILURE));

    assertThatThrownBy(answers::join).hasCause(FAILURE);
  }
}
