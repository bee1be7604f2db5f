package dev.holdfast.leased;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.leased.ClaimRecord.StoredKey;
import dev.holdfast.leased.ClaimRegistry.ClaimKey;
import dev.holdfast.leased.ClaimRegistry.Place;
import dev.holdfast.spi.Observers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class WantedWatchTest {

  private static final ClaimKey CLAIM = new ClaimKey("lock", "id");
  private static final Place PLACE = new Place("own", 5);

  private final Observers observers = new Observers();
  private final AtomicInteger wakes = new AtomicInteger();
  private final OpenWatches watches = new OpenWatches();
  private final WantedWatch wanted = new WantedWatch(watches, observers);

  WantedWatchTest() {
    observers.add("lock", wakes::incrementAndGet);
  }

  @Test
  void only_the_first_claim_behind_it_wakes_its_client() {
    wanted.watch(CLAIM, PLACE, 7);

    only().changed(key("first", 8));
    only().changed(key("first", 8)); // put on another lease
    only().changed(key("second", 9));

    assertThat(wakes).hasValue(1);
  }

  @Test
  void the_next_claim_that_is_the_first_wakes_it_again() {
    wanted.watch(CLAIM, PLACE, 7);
    only().changed(key("first", 8));

    only().deleted("first");
    only().changed(key("next", 10));

    assertThat(wakes).hasValue(2);
  }

  @Test
  void a_claim_that_came_while_the_one_before_left_wakes_it_again() {
    wanted.watch(CLAIM, PLACE, 7);
    only().found(List.of(key("own", 5), key("first", 8)));
    only().found(List.of(key("own", 5), key("first", 8), key("second", 9)));
    assertThat(wakes).hasValue(1);

    only().found(List.of(key("own", 5), key("third", 10)));

    assertThat(wakes).hasValue(2);
  }

  @Test
  void its_own_changes_wake_nobody() {
    wanted.watch(CLAIM, PLACE, 7);

    only().changed(key("own", 5));
    only().found(List.of(key("own", 5)));
    assertThat(wakes).hasValue(0);
    assertThat(watches.open).hasSize(1);
  }

  /** One that was detached, or that nobody reached any more, has not left by its client. */
  @Test
  void the_watch_of_a_claim_that_is_not_there_any_more_ends() {
    wanted.watch(CLAIM, PLACE, 7);
    only().deleted("own");

    assertThat(watches.open).isEmpty();
    assertThat(wanted.contains(CLAIM)).isFalse();

    wanted.watch(CLAIM, PLACE, 7);
    assertThat(only().found(List.of(key("own", 9)))).isTrue(); // another claim, on the same key

    assertThat(watches.open).isEmpty();
    assertThat(wakes).hasValue(0);
  }

  @Test
  void a_claim_is_watched_once_until_the_watch_has_ended() {
    wanted.watch(CLAIM, PLACE, 7);
    wanted.watch(CLAIM, PLACE, 9);
    assertThat(watches.from).containsExactly(8L);

    only().missed();

    assertThat(wakes).hasValue(1);
    assertThat(wanted.contains(CLAIM)).isTrue();
    wanted.watch(CLAIM, PLACE, 12);
    assertThat(watches.from).containsExactly(8L, 13L);
  }

  @Test
  void a_claim_that_has_joined_again_is_watched_from_its_new_place() {
    wanted.watch(CLAIM, PLACE, 7);
    KeyWatches.Listener before = only();

    wanted.watch(CLAIM, new Place("own", 9), 9);

    assertThat(only()).isNotSameAs(before);
    only().changed(key("first", 8));
    assertThat(wakes).hasValue(0);
  }

  @Test
  void a_claim_that_is_not_keepable_any_more_is_not_watched() {
    wanted.watch(CLAIM, PLACE, 7);

    wanted.drop(CLAIM);

    assertThat(watches.open).isEmpty();
    assertThat(wanted.contains(CLAIM)).isFalse();
  }

  private KeyWatches.Listener only() {
    assertThat(watches.open).hasSize(1);
    return watches.open.get(0);
  }

  private static StoredKey key(String key, long created) {
    return new StoredKey(key, "", "lease", created, created);
  }

  private static final class OpenWatches implements KeyWatches {
    private final List<Listener> open = new ArrayList<>();
    private final List<Long> from = new ArrayList<>();

    @Override
    public void add(Listener listener, Target target, long revision) {
      assertThat(target).isEqualTo(new Target("lock", null));
      open.add(listener);
      from.add(revision);
    }

    @Override
    public void reached(Listener listener, long revision) {}

    @Override
    public void remove(Listener listener) {
      open.remove(listener);
    }
  }
}
