package dev.holdfast.spi.support;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Kind;
import dev.holdfast.Owner;
import dev.holdfast.spi.Admission;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Tokens;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/**
 * What holds after every step of every short history of three claims: the granted ones are the head
 * of the queue that the rule admits, a grant keeps its token until it ends, no token is given twice
 * and none is lower than an earlier one, and the answers agree with the queue.
 */
class ClaimQueueModelTest {

  private static final int LENGTH = 4;
  private static final int CAPACITY = 2;
  private static final Duration TTL = Duration.ofSeconds(8);
  private static final Owner OWNER = new Owner("host", 1, "main", "client", "");

  /** One step of a history. */
  private record Step(String name, BiConsumer<Run, ClaimQueue<ClaimRecord>> action) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static Claim claim(int number, int weight) {
    return new Claim(
        "claim-" + number, "lock", Kind.SEMAPHORE, weight, CAPACITY, OWNER, TTL, null, 1, 0);
  }

  private static List<Step> steps() {
    List<Step> steps = new ArrayList<>();
    for (int number = 0; number < 3; number++) {
      Claim claim = claim(number, number == 2 ? 1 : 2);
      String id = claim.id();
      steps.add(new Step("join " + id, (run, q) -> run.granted(id, q.join(claim, true))));
      steps.add(new Step("try " + id, (run, q) -> run.granted(id, q.join(claim, false))));
      steps.add(new Step("refresh " + id, (run, q) -> run.granted(id, q.refresh(claim))));
      Claim lower = claim.weighing(1);
      steps.add(new Step("lower " + id, (run, q) -> run.granted(id, q.refresh(lower))));
      steps.add(new Step("leave " + id, (run, q) -> q.leave(claim, Duration.ZERO)));
      steps.add(new Step("linger " + id, (run, q) -> q.leave(claim, Duration.ofSeconds(3))));
      steps.add(new Step("tombstone " + id, (run, q) -> q.addTombstone(claim)));
    }
    steps.add(new Step("evict", (run, q) -> q.evict(LockStore.ANY_TOKEN)));
    steps.add(new Step("3 s pass", (run, q) -> run.pass(Duration.ofSeconds(3))));
    steps.add(new Step("8 s pass", (run, q) -> run.pass(Duration.ofSeconds(8))));
    return steps;
  }

  @Test
  void every_short_history_keeps_the_rules() {
    List<Step> steps = steps();
    int histories = (int) Math.pow(steps.size(), LENGTH);
    for (int number = 0; number < histories; number++) {
      List<Step> history = new ArrayList<>();
      for (int rest = number, i = 0; i < LENGTH; i++, rest /= steps.size()) {
        history.add(steps.get(rest % steps.size()));
      }
      new Run(history).play();
    }
  }

  /** One history on one queue. */
  private static final class Run {
    private final StepClock clock = new StepClock();
    private final ClaimQueue<ClaimRecord> queue = new ClaimQueue<>("lock", clock, ClaimRecord::new);
    private final List<Step> history;

    // Mutable state
    private final Map<String, Long> granted = new HashMap<>();
    private long highest;

    Run(List<Step> history) {
      this.history = history;
    }

    void play() {
      for (Step step : history) {
        queue.settle();
        step.action.accept(this, queue);
        check();
      }
    }

    void pass(Duration time) {
      clock.advance(time);
      queue.settle();
    }

    /** The answer tells of the token that the queue has recorded. */
    void granted(String id, Object answer) {
      if (answer instanceof Granted grant) {
        ClaimRecord record = queue.find(id);
        expect(record != null && record.token() == grant.token() && record.isLive());
        Tokens spares = grant.spares();
        expect(spares.count() == 1 && spares.first() > grant.token());
        expect(spares.last() <= queue.lastToken());
      }
    }

    private void check() {
      List<ClaimRecord> claims = queue.claims();
      int admitted =
          Admission.admitted(claims.stream().map(ClaimRecord::weight).toList(), CAPACITY);
      long before = 0;
      for (int i = 0; i < claims.size(); i++) {
        ClaimRecord record = claims.get(i);
        expect(record.isGranted() == (i < admitted));
        expect(record.expires() > clock.now());
        if (record.isGranted()) {
          expect(record.token() > before);
          before = record.token();
          Long known = granted.get(record.id());
          expect(known == null ? record.token() > highest : known == record.token());
        }
      }
      granted.clear();
      claims.stream()
          .filter(ClaimRecord::isGranted)
          .forEach(record -> granted.put(record.id(), record.token()));
      expect(queue.lastToken() >= highest);
      highest = queue.lastToken();
    }

    private void expect(boolean held) {
      if (!held) {
        assertThat(held).as("after some of %s: %s", history, queue.info()).isTrue();
      }
    }
  }
}
