package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.LockInfo;
import dev.holdfast.StoreException;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.RedisServer;
import dev.holdfast.servers.Server;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Gone;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Queued;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Unknown;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.store.Ask;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One record that this version cannot read leaves all others alone. */
@NeedsServer(value = Server.REDIS, ofItsOwn = true)
class BadRecordIT {

  private RedisServer server;
  private RedisFixture fixture;
  private LockStore store;
  private final List<Claim> claims = new ArrayList<>();

  @BeforeEach
  void open() {
    server = RedisServer.start();
    fixture = new RedisFixture(server.url());
    store = fixture.open();
    for (int i = 0; i < 10; i++) {
      Claim claim = Ask.mutex("lock " + i);
      Ask.granted(store, claim);
      claims.add(claim);
    }
  }

  @AfterEach
  void close() {
    store.close();
    fixture.close();
    server.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"3 f 1763371000000000 1763371600000000", "5 a layout of the future"})
  void a_record_of_another_format_is_unknown_and_stays_as_it_is(String record) {
    server.command("HSET", "holdfast:{lock 3}", "lock", record);
    Set<Object> before = new HashSet<>((List<?>) server.command("HGETALL", "holdfast:{lock 3}"));

    onlyTheThirdIsUnknown();
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> Ask.join(store, Ask.mutex("lock 3")))
        .withMessageContaining("key holdfast:{lock 3}) cannot be read: it has another format");
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> Ask.of(store.evict("lock 3", LockStore.ANY_TOKEN)));
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> Ask.of(store.inspect("lock 3")));
    assertThat(Ask.leave(store, claims.get(3))).isEqualTo(Left.UNKNOWN);
    assertThat(new HashSet<Object>((List<?>) server.command("HGETALL", "holdfast:{lock 3}")))
        .isEqualTo(before);
    assertThat(Ask.of(store.list("lock", 20))).extracting(LockInfo::name).hasSize(9);
  }

  @Test
  void a_key_of_another_type_is_unknown() {
    server.command("SET", "holdfast:{lock 3}", "not ours");

    onlyTheThirdIsUnknown();
    Map<Claim, Left> left =
        Ask.of(store.leave(claims.stream().map(Departure::of).toList(), Deadlines.far()));
    assertThat(left).containsEntry(claims.get(3), Left.UNKNOWN);
    assertThat(left.values()).filteredOn(Left.LEFT::equals).hasSize(9);
    assertThat(server.command("GET", "holdfast:{lock 3}")).isEqualTo("not ours");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"4 f what", "4 a what is this", "4 p 1 2 3 4 5 6 what is this", "4 x", "4"})
  void a_record_that_is_damaged_is_unknown(String record) {
    server.command("HSET", "holdfast:{lock 3}", "lock", record);

    onlyTheThirdIsUnknown();
    assertThat(Ask.refresh(store, claims.get(3))).isInstanceOf(Unknown.class);
    assertThat(Ask.leave(store, claims.get(3))).isEqualTo(Left.UNKNOWN);
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> Ask.queue(store, Ask.mutex("lock 3")));
    assertThat(server.command("HGET", "holdfast:{lock 3}", "lock")).isEqualTo(record);
  }

  /** A script would count on in doubles, which are no longer one apart there. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "4 f 9007199254740992 9007199254740992",
        "4 f 9999999999999999 9999999999999999",
        "4 q MUTEX 1 9223372036854775807 0 0 0 9007199254740992 9007199254740992 "
      })
  void a_last_token_beyond_what_can_be_counted_is_refused_by_name(String record) {
    server.command("HSET", "holdfast:{lock 3}", "lock", record);

    for (Claim claim : List.of(Ask.mutex("lock 3"), Ask.mutex("lock 3").asking(3, 0))) {
      assertThatExceptionOfType(StoreException.class)
          .isThrownBy(() -> Ask.join(store, claim))
          .withMessageContainingAll("'lock 3'", "holdfast:{lock 3}", "last token", "break --force");
    }
    assertThat(server.command("HGET", "holdfast:{lock 3}", "lock")).isEqualTo(record);
  }

  @Test
  void the_holder_of_an_absurd_token_is_unknown() {
    String record = (String) server.command("HGET", "holdfast:{lock 3}", "lock");
    String absurd = record.substring(0, 21) + "9999999999999999" + record.substring(37);
    server.command("HSET", "holdfast:{lock 3}", "lock", absurd);

    onlyTheThirdIsUnknown();
    assertThat(Ask.refresh(store, claims.get(3))).isInstanceOf(Unknown.class);
  }

  @Test
  void a_claim_that_is_damaged_is_unknown() {
    Ask.queue(store, Ask.mutex("lock 3"));
    Ask.queue(store, Ask.mutex("lock 3")); // from now on each has a separate record
    server.command("HSET", "holdfast:{lock 3}", "#" + claims.get(3).id(), "what is this");

    onlyTheThirdIsUnknown();
  }

  /** A lock that is held takes no more memory when it is renewed or released. */
  @Test
  void a_server_without_memory_takes_no_new_claims_but_renews_and_releases_the_old() {
    server.command("CONFIG", "SET", "maxmemory", "1");

    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> Ask.join(store, Ask.mutex("one more")))
        .withMessageContaining("OOM");
    assertThat(Ask.of(store.refresh(claims, Deadlines.far())).values())
        .allMatch(Granted.class::isInstance);
    assertThat(Ask.leave(store, claims.get(0))).isEqualTo(Left.LEFT);
    assertThat(Ask.of(store.inspect("lock 0")).isHeld()).isFalse();
    List<Departure> others = claims.stream().skip(1).map(Departure::of).toList();
    assertThat(Ask.of(store.leave(others, Deadlines.far())).values())
        .hasSize(9)
        .containsOnly(Left.LEFT);
    server.command("CONFIG", "SET", "maxmemory", "0");
    assertThat(Ask.join(store, Ask.mutex("one more"))).isInstanceOf(Granted.class);
  }

  @Test
  void a_server_without_memory_hands_locks_off_and_keeps_the_waiters() {
    List<Claim> pair = List.of(Ask.mutex("lock 0"), Ask.mutex("lock 1"), Ask.mutex("lock 1"));
    pair.forEach(waiter -> Ask.queue(store, waiter));
    server.command("CONFIG", "SET", "maxmemory", "1");

    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> Ask.queue(store, Ask.mutex("lock 0")))
        .withMessageContaining("OOM");
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> Ask.queue(store, Ask.mutex("lock 2")))
        .withMessageContaining("OOM");
    assertThat(Ask.of(store.refresh(pair, Deadlines.far())).values())
        .allMatch(Queued.class::isInstance);
    assertThat(Ask.refresh(store, pair.get(0))).isEqualTo(new Queued(1));
    assertThat(Ask.leave(store, claims.get(0))).isEqualTo(Left.LEFT);
    assertThat(Ask.leave(store, claims.get(1))).isEqualTo(Left.LEFT);
    assertThat(Ask.refresh(store, pair.get(0))).isInstanceOf(Granted.class);
    assertThat(Ask.refresh(store, pair.get(1))).isInstanceOf(Granted.class);
    assertThat(Ask.leave(store, pair.get(1))).isEqualTo(Left.LEFT);
    assertThat(Ask.refresh(store, pair.get(2))).isInstanceOf(Granted.class);
  }

  @Test
  void a_lock_is_kept_in_one_field_until_a_second_one_waits_and_as_soon_as_one_is_alone_again() {
    Claim next = Ask.mutex("lock 5");
    Claim last = Ask.mutex("lock 5");
    assertThat(fields()).isEqualTo(1);
    Ask.refresh(store, claims.get(5));
    assertThat(fields()).isEqualTo(1);
    Ask.queue(store, next);
    assertThat(fields()).isEqualTo(1);
    Ask.of(store.refresh(List.of(next, claims.get(5)), Deadlines.far()));
    assertThat(fields()).isEqualTo(1);

    assertThat(Ask.queue(store, last)).isEqualTo(new Queued(2));
    assertThat(fields()).isEqualTo(4);
    Ask.leave(store, claims.get(5));
    assertThat(Ask.refresh(store, next)).isInstanceOf(Granted.class);
    assertThat(Ask.leave(store, next)).isEqualTo(Left.LEFT);
    Granted granted = (Granted) Ask.refresh(store, last);
    assertThat(fields()).isEqualTo(1);
    assertThat(Ask.refresh(store, last)).isEqualTo(granted);
    assertThat(Ask.leave(store, last)).isEqualTo(Left.LEFT);
    assertThat(fields()).isEqualTo(1);
  }

  @Test
  void scripts_that_the_server_has_forgotten_are_sent_again() {
    server.command("SCRIPT", "FLUSH");

    assertThat(Ask.of(store.refresh(claims, Deadlines.far())).values())
        .allMatch(Granted.class::isInstance);
    assertThat(Ask.leave(store, claims.get(0))).isEqualTo(Left.LEFT);
    assertThat(Ask.join(store, Ask.mutex("lock 0"))).isInstanceOf(Granted.class);
  }

  @Test
  void unused_keys_expire_by_themselves() {
    Ask.leave(store, claims.get(0));
    Ask.queue(store, Ask.mutex("lock 1"));
    Ask.queue(store, Ask.mutex("lock 1"));

    for (String key : List.of("holdfast:{lock 0}", "holdfast:{lock 1}", "holdfast:{lock 1}:line")) {
      assertThat((Long) server.command("PTTL", key)).as(key).isBetween(3_600_000L, 4_300_000L);
    }
  }

  /** A server that evicts may drop either key of a lock. */
  @Test
  void a_waiter_gets_a_new_position_when_the_line_is_gone() {
    Claim next = Ask.mutex("lock 3");
    Claim last = Ask.mutex("lock 3");
    Ask.queue(store, next);
    Ask.queue(store, last);
    server.command("DEL", "holdfast:{lock 3}:line");

    assertThat(Ask.refresh(store, next)).isEqualTo(new Queued(1));
    assertThat(Ask.refresh(store, last)).isEqualTo(new Queued(2));
    Ask.leave(store, claims.get(3));
    assertThat(Ask.refresh(store, next)).isInstanceOf(Granted.class);
    Ask.leave(store, next);
    assertThat(Ask.refresh(store, last)).isInstanceOf(Granted.class);
  }

  @Test
  void a_line_whose_lock_the_server_has_dropped_does_no_harm() {
    Ask.queue(store, Ask.mutex("lock 3"));
    Ask.queue(store, Ask.mutex("lock 3"));
    server.command("DEL", "holdfast:{lock 3}");

    List<Claim> queue = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Claim claim = Ask.mutex("lock 3");
      Ask.queue(store, claim);
      queue.add(claim);
    }
    for (int i = 1; i < queue.size(); i++) {
      assertThat(Ask.refresh(store, queue.get(i))).isEqualTo(new Queued(i));
    }
    for (Claim claim : queue) {
      assertThat(Ask.refresh(store, claim)).isInstanceOf(Granted.class);
      Ask.leave(store, claim);
    }
  }

  @Test
  void a_waiter_for_a_dropped_lock_is_gone() {
    Claim waiter = Ask.mutex("lock 3");
    Ask.queue(store, waiter);
    server.command("DEL", "holdfast:{lock 3}");

    assertThat(Ask.refresh(store, waiter)).isEqualTo(Gone.GONE);
    assertThat(Ask.refresh(store, claims.get(3))).isEqualTo(Gone.GONE);
    assertThat(Ask.queue(store, Ask.mutex("lock 3"))).isInstanceOf(Granted.class);
  }

  @Test
  void a_value_may_hold_any_character_that_a_claim_may() {
    String value = "a\u0001b c\n☂";
    Claim claim = Ask.mutex("with a value").publishing(value);
    Ask.granted(store, claim);
    Ask.refresh(store, claim);

    assertThat(Ask.of(store.inspect("with a value")).holders().get(0).value()).isEqualTo(value);
  }

  private int fields() {
    return ((List<?>) server.command("HGETALL", "holdfast:{lock 5}")).size() / 2;
  }

  private void onlyTheThirdIsUnknown() {
    Map<Claim, Standing> standings = Ask.of(store.refresh(claims, Deadlines.far()));
    for (Claim claim : claims) {
      assertThat(standings.get(claim))
          .as(claim.lock())
          .isInstanceOf(claim.equals(claims.get(3)) ? Unknown.class : Granted.class);
    }
  }
}
