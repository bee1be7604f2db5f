package dev.holdfast.testkit.rules.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Candidacy;
import dev.holdfast.Election;
import dev.holdfast.Fence;
import dev.holdfast.Holdfast;
import dev.holdfast.Kind;
import dev.holdfast.Leader;
import dev.holdfast.LeaderListener;
import dev.holdfast.Leadership;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LockOptions;
import dev.holdfast.Mode;
import dev.holdfast.Proof;
import dev.holdfast.StaleTokenException;
import dev.holdfast.testkit.Faults;
import dev.holdfast.testkit.LockTakerProcess;
import dev.holdfast.testkit.rules.engine.EngineScene.FaultyClient;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** One leader at a time. */
public abstract class ElectionRules extends EngineRules {

  /** Long enough that another process does not lose its lead before it is killed. */
  private static final Duration PROCESS_TTL = Duration.ofSeconds(2);

  @Test
  void the_leader_and_its_value_are_seen_by_all() throws Exception {
    where(
        Kind.ELECTION,
        () -> {
          assertThat(b.election(name).leader()).isEmpty();
          Leadership leading = a.election(name).campaign("one");
          assertThat(b.election(name).leader())
              .hasValue(new Leader(leading.token(), "one", leading.owner()));

          leading.publish("two \u00fc");

          assertThat(leading.value()).isEqualTo("two \u00fc");
          assertThat(b.election(name).leader())
              .hasValue(new Leader(leading.token(), "two \u00fc", leading.owner()));
          assertThat(leading.resign()).isTrue();
          assertThat(b.election(name).leader()).isEmpty();
          assertThatThrownBy(() -> leading.publish("three")).isInstanceOf(LeaseLostException.class);
          assertThatThrownBy(() -> a.election(name).campaign("x".repeat(1025)))
              .isInstanceOf(IllegalArgumentException.class);
        });
  }

  @Test
  void a_waiting_candidate_leads_after_the_resignation_with_a_greater_token() throws Exception {
    where(
        Kind.ELECTION,
        () -> {
          Leadership first = a.election(name).campaign("one");
          CompletableFuture<Leadership> second = b.election(name).campaignAsync("two");
          awaitWaiter();
          assertThat(second).isNotDone();
          assertThat(first.resign()).isTrue();

          Leadership leading = scene().resultInTime(second);

          assertThat(leading.token()).isGreaterThan(first.token());
          assertThat(a.election(name).leader().map(Leader::value)).hasValue("two");
          release(leading);
        });
  }

  @Test
  void candidates_of_one_client_run_against_each_other() throws Exception {
    where(
        Kind.ELECTION,
        () -> {
          Leadership leading = a.election(name).campaign("one");
          CompletableFuture<Leadership> rival = a.election(name).campaignAsync("two");
          awaitWaiter();
          assertThat(rival).isNotDone();
          release(leading);
          assertThat(scene().resultInTime(rival).token()).isGreaterThan(leading.token());
          assertThat(b.election(name).leader().map(Leader::value)).hasValue("two");
        });
  }

  @Test
  void candidates_lead_one_at_a_time_by_the_fence_and_stop_before_the_next_one_starts()
      throws Exception {
    where(
        Kind.ELECTION,
        () -> {
          Record record = new Record();
          Candidacy one = stand(a, "one", record);
          Candidacy two = stand(b, "two", record);
          for (int turns = 1; turns <= 3; turns++) {
            int elected = 2 * turns - 1;
            scene().eventually("a candidate leads", () -> record.events.size() == elected);
            Candidacy leading = one.isLeading() ? one : two;
            leading.resign();
          }
          scene().eventually("a candidate leads again", () -> record.events.size() == 7);
          one.close();
          two.close();
          scene().eventually("no candidate leads", () -> record.events.size() % 2 == 0);
          record.assertOneAtATime();
          // A candidate that gave up may be elected before its withdrawal reaches the store.
          scene().eventually("the store knows", () -> b.election(name).leader().isEmpty());
        });
  }

  @Test
  void a_leader_whose_lock_is_broken_is_notified_and_stands_again() throws Exception {
    where(
        Kind.ELECTION,
        () -> {
          Record record = new Record();
          Election election = a.election(name, scene().brief());
          try (Candidacy candidacy = election.stand("one", record.listener("one"))) {
            scene().eventually("it leads", () -> record.events.size() == 1);
            b.breakLock(name);
            scene().eventually("it leads again", () -> record.events.size() == 3);
          }
          record.assertOneAtATime();
          assertThat(record.events).hasSize(4);
        });
  }

  @Test
  void a_leader_that_is_cut_off_has_stopped_before_another_one_starts() throws Exception {
    where(
        Kind.ELECTION,
        () -> {
          List<String> order = List.of("one elected", "one ended", "two elected");
          Duration ttl = scene().brief().ttl();
          List<String> seen = cutOff(name, ttl);
          // A machine that stalls for longer than the margin reports it late, but not with longer
          // margins.
          for (int again = 0; again < 3 && !scene().drivesClock() && !seen.equals(order); again++) {
            ttl = ttl.multipliedBy(2);
            seen = cutOff(name + "/" + again, ttl);
          }
          assertThat(seen).isEqualTo(order);
        });
  }

  private List<String> cutOff(String election, Duration ttl) {
    Record record = new Record();
    FaultyClient cut = scene().faulty();
    LockOptions options = scene().brief().ttl(ttl);
    try (Candidacy one =
        cut.locks().election(election, options).stand("one", record.listener("one"))) {
      scene().eventually("it leads", one::isLeading);
      try (Candidacy two = b.election(election, options).stand("two", record.listener("two"))) {
        cut.store().faults(Faults.cutOff());

        scene().eventually("the other one leads", two::isLeading);
        assertThat(one.isLeading()).isFalse();
        scene().eventually("that is reported", () -> record.events.size() >= 3);
        List<String> first = List.copyOf(record.events.subList(0, 3));
        cut.store().faults(Faults.none());
        return first;
      }
    }
  }

  /** Killed as {@code kill -9} does; where a store does not span processes, cut off instead. */
  @Test
  void a_leader_that_is_killed_is_replaced_within_its_ttl_the_expiry_lag_and_a_second()
      throws Exception {
    where(
        Kind.ELECTION,
        () -> {
          LockOptions options = mortalOptions();
          try (Killable leader = leader(options)) {
            scene().eventually("it leads", () -> b.election(name).leader().isPresent());
            Leader first = b.election(name).leader().orElseThrow();
            Proof old = new Proof(name, first.token(), Mode.EXCLUSIVE, first.owner());
            Fence fence = Fence.inMemory();
            fence.enter(old);
            CompletableFuture<Leadership> next = b.election(name, options).campaignAsync("next");

            leader.kill();
            Duration took = scene().timeUntil("the next one leads", () -> isDecided(next));

            assertThat(took)
                .isLessThan(options.ttl().plus(scene().traits().expiryLag()).plusSeconds(1));
            Leadership leading = scene().result(next);
            fence.enter(leading.proof());
            assertThatThrownBy(() -> fence.check(old)).isInstanceOf(StaleTokenException.class);
            assertThat(b.election(name).leader().map(Leader::token)).hasValue(leading.token());
            release(leading);
          }
        });
  }

  private LockOptions mortalOptions() {
    LockOptions brief = scene().brief();
    boolean tooBrief = scene().traits().spansProcesses() && brief.ttl().compareTo(PROCESS_TTL) < 0;
    return tooBrief ? brief.ttl(PROCESS_TTL) : brief;
  }

  /** Asks the store too: a look is late when the store is. */
  private boolean isDecided(CompletableFuture<?> next) {
    b.inspect(name);
    return next.isDone();
  }

  private interface Killable extends AutoCloseable {
    void kill();

    @Override
    void close();
  }

  private Killable leader(LockOptions options) throws InterruptedException {
    if (!scene().traits().spansProcesses()) {
      FaultyClient client = scene().faulty();
      client.locks().election(name, options).campaign("first");
      return new Killable() {
        @Override
        public void kill() {
          client.store().faults(Faults.cutOff());
        }

        @Override
        public void close() {
          client.store().faults(Faults.none());
        }
      };
    }
    String url =
        scene()
            .fixture()
            .url()
            .orElseThrow(
                () -> new AssertionError("the store spans processes; its fixture has no URL"));
    LockTakerProcess process = LockTakerProcess.lead(url, name, options.ttl());
    process.awaitToken();
    return new Killable() {
      @Override
      public void kill() {
        process.kill();
      }

      @Override
      public void close() {
        process.close();
      }
    };
  }

  @Test
  void a_leadership_given_back_by_hand_is_reported_to_the_candidate_which_stands_again()
      throws Exception {
    where(
        Kind.ELECTION,
        () -> {
          Record record = new Record();
          try (Candidacy candidacy = stand(a, "one", record)) {
            scene().eventually("it leads", () -> record.events.size() == 1);
            assertThat(scene().resultInTime(record.last().releaseAsync())).isTrue();
            scene().eventually("it leads again", () -> record.events.size() == 3);
          }
          record.assertOneAtATime();
        });
  }

  @Test
  void closing_the_client_tells_its_leader_first() throws Exception {
    where(
        Kind.ELECTION,
        () -> {
          Record record = new Record();
          Holdfast client = scene().client();
          client.election(name).stand("one", record.listener("one"));
          scene().eventually("it leads", () -> record.events.size() == 1);

          client.close();

          assertThat(record.events).containsExactly("one elected", "one ended");
          release(scene().resultInTime(b.election(name).campaignAsync("two")));
        });
  }

  private Candidacy stand(Holdfast client, String value, Record record) {
    return client.election(name).stand(value, record.listener(value));
  }

  /** The events, as the leaders saw them; each of them raises one fence. */
  private static final class Record {
    final List<String> events = new CopyOnWriteArrayList<>();
    private final Fence fence = Fence.inMemory();
    private volatile @Nullable Leadership last;

    LeaderListener listener(String who) {
      return new LeaderListener() {
        @Override
        public void elected(Leadership leadership) {
          fence.enter(leadership.proof());
          last = leadership;
          events.add(who + " elected");
        }

        @Override
        public void ended(Leadership leadership) {
          events.add(who + " ended");
        }
      };
    }

    Leadership last() {
      return Objects.requireNonNull(last);
    }

    void assertOneAtATime() {
      for (int i = 0; i + 1 < events.size(); i += 2) {
        String who = events.get(i).substring(0, events.get(i).indexOf(' '));
        assertThat(events.subList(i, i + 2)).containsExactly(who + " elected", who + " ended");
      }
    }
  }
}
