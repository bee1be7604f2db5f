package dev.holdfast.testkit.rules.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Kind;
import dev.holdfast.Leader;
import dev.holdfast.LeaderObserver;
import dev.holdfast.Leadership;
import dev.holdfast.Registration;
import dev.holdfast.StoreException;
import dev.holdfast.testkit.Faults;
import dev.holdfast.testkit.Verb;
import dev.holdfast.testkit.rules.engine.EngineScene.FaultyClient;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Observers of an election know the leader, that there is none, or that it is unknown. */
public abstract class ObserverRules extends EngineRules {

  @Test
  void an_observer_sees_leaders_in_their_order_and_the_current_one_in_the_end() throws Exception {
    where(
        Kind.ELECTION,
        () -> {
          Record record = new Record();
          try (Registration observing = scene().client().election(name).observe(record)) {
            for (Holdfast client : List.of(a, b)) {
              release(scene().resultInTime(client.election(name).campaignAsync("before")));
            }
            Leadership current = scene().resultInTime(a.election(name).campaignAsync("the last"));
            scene().eventually("the leader is seen", () -> record.endsWith(current, "the last"));
            current.publish("new");
            scene().eventually("its new value is seen", () -> record.endsWith(current, "new"));
          }
          assertThat(record.tokens).isSorted();
          record.assertNothingIsToldTwice();
        });
  }

  @Test
  void an_observer_is_notified_when_nobody_leads_and_when_the_store_is_silent() throws Exception {
    where(
        Kind.ELECTION,
        () -> {
          Record record = new Record();
          FaultyClient cut = scene().faulty();
          try (Registration observing = cut.locks().election(name).observe(record)) {
            scene().eventually("no candidate leads", () -> record.endsWith("nobody"));
            Leadership leading = a.election(name).campaign("one");
            scene().eventually("one leads", () -> record.endsWith(leading, "one"));
            cut.store().faults(Faults.failing().on(Verb.INSPECT));
            scene().eventually("the silence is reported", () -> record.endsWith("silence"));
            cut.store().faults(Faults.none());
            scene().eventually("it leads as before", () -> record.endsWith(leading, "one"));
            release(leading);
            scene().eventually("no candidate leads again", () -> record.endsWith("nobody"));
          }
          record.assertNothingIsToldTwice();
        });
  }

  /** What was reported, in order. */
  private static final class Record implements LeaderObserver {
    final List<Long> tokens = new CopyOnWriteArrayList<>();
    private final List<String> reported = new CopyOnWriteArrayList<>();

    @Override
    public void leads(Leader leader) {
      tokens.add(leader.token());
      reported.add(text(leader.token(), leader.value()));
    }

    @Override
    public void nobodyLeads() {
      reported.add("nobody");
    }

    @Override
    public void storeSilent(StoreException cause) {
      reported.add("silence");
    }

    boolean endsWith(Leadership leading, String value) {
      return endsWith(text(leading.token(), value));
    }

    boolean endsWith(String last) {
      return !reported.isEmpty() && reported.get(reported.size() - 1).equals(last);
    }

    void assertNothingIsToldTwice() {
      for (int i = 1; i < reported.size(); i++) {
        assertThat(reported.get(i)).as("after the same").isNotEqualTo(reported.get(i - 1));
      }
    }

    private static String text(long token, String value) {
      return token + " " + value;
    }
  }
}
