package dev.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.ClaimInfo;
import dev.holdfast.Holdfast;
import dev.holdfast.Kind;
import dev.holdfast.LockInfo;
import dev.holdfast.LockOptions;
import dev.holdfast.LockTimeoutException;
import dev.holdfast.Owner;
import dev.holdfast.StoreException;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.LockStore;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * What a client may rely on when another program wrote the records of a store, not by way of
 * Holdfast: owners and values are read to a bounded length, whatever is shown of them is one
 * harmless line, and an owner that cannot be read is unknown, with a message that says so.
 *
 * <p>A subclass says how to reach the store, and how to change a record behind its back.
 */
public abstract class ForeignTextContract {

  /** How many records the tests write, besides a few that are very long. */
  private static final int ROUNDS = 150;

  private static final long SEED = 20_260_117;
  private static final int LONG = 1_000_000;
  private static final int LONGEST_PART = 128;
  private static final int LONGEST_LINE = 8_192;

  private final String lock = "foreign/" + UUID.randomUUID();

  /** For subclasses. */
  protected ForeignTextContract() {}

  /** One more client of the store; the contract closes it. */
  protected abstract LockStore open();

  /**
   * Changes what the store keeps of the only claim on a lock, as another program would.
   *
   * @param lock held by a mutex's claim that has a value
   * @param owner as it is to be stored, where {@link Owner#encode} has written before
   * @param value as it is to be stored
   */
  protected abstract void overwrite(String lock, String owner, String value) throws Exception;

  /** Every part of an owner, and the value. */
  @Test
  public void hostile_owners_and_values_are_bounded_and_shown_without_harm() throws Exception {
    HostileText texts = new HostileText(SEED);
    try (LockStore holder = open();
        Holdfast client = client()) {
      take(holder, lock);
      for (int round = 0; round < ROUNDS; round++) {
        String label = texts.next();
        String value = texts.next();
        String owner =
            encoded(texts.next()) + ";7;" + encoded(texts.next()) + ";c;" + encoded(label);
        overwrite(lock, owner, value);
        ClaimInfo seen = onlyHolder(client);
        String where = "seed " + SEED + ", round " + round;
        assertThat(seen.owner().label()).as(where).isEqualTo(label);
        assertThat(seen.value()).as(where).isEqualTo(value);
        assertShownWithoutHarm(client, where);
      }
    }
  }

  /** A megabyte in each part that has room for it. */
  @Test
  public void a_part_that_is_a_megabyte_long_costs_a_reader_no_more_than_a_kilobyte()
      throws Exception {
    String huge = "x".repeat(LONG);
    List<String> owners =
        List.of(
            huge + ";7;thread;client;label",
            "host;7;" + huge + ";client;label",
            "host;7;thread;" + huge + ";label",
            "host;7;thread;client;" + huge);
    try (LockStore holder = open();
        Holdfast client = client()) {
      take(holder, lock);
      for (String owner : owners) {
        overwrite(lock, owner, "value");
        assertBounded(onlyHolder(client));
        assertShownWithoutHarm(client, "a long part");
      }
      overwrite(lock, "host;7;thread;client;label", huge);
      assertBounded(onlyHolder(client));
      assertThat(onlyHolder(client).value()).endsWith("x…");
      assertShownWithoutHarm(client, "a long value");
    }
  }

  /** Unknown, never free. */
  @Test
  public void an_owner_that_cannot_be_read_is_unknown_and_quoted_without_harm() throws Exception {
    List<String> owners =
        List.of(
            "\u001b[2J\u202e",
            "\u001b[2J;x;\u202e;c;l",
            "host;99999999999999999999;t;c;l",
            "host;\u0661\u001b;t;c;l",
            "%ZZ\u009b31m;1;t;c;l",
            "%;1;t;c;l",
            ";".repeat(LONG),
            "x".repeat(LONG));
    try (LockStore holder = open();
        Holdfast client = client()) {
      take(holder, lock);
      for (String owner : owners) {
        overwrite(lock, owner, "value");
        assertThatExceptionOfType(StoreException.class)
            .as("%.40s", owner)
            .isThrownBy(() -> client.inspect(lock))
            .satisfies(unknown -> assertHarmless(unknown.getMessage(), "inspect"));
      }
    }
  }

  /** Names are exact, so all of them can be locked; messages escape them. */
  @Test
  public void hostile_names_are_listed_as_they_are_and_shown_without_harm() throws Exception {
    HostileText texts = new HostileText(SEED + 1);
    TreeSet<String> names = new TreeSet<>();
    try (LockStore holder = open();
        Holdfast client = client()) {
      for (int round = 0; round < ROUNDS; round++) {
        String name = lock + "/" + round + texts.next();
        take(holder, name);
        names.add(name);
        assertThatExceptionOfType(LockTimeoutException.class)
            .isThrownBy(() -> client.lock(name).acquire(Duration.ofMillis(1)))
            .satisfies(busy -> assertHarmless(busy.getMessage(), "acquire"))
            .satisfies(busy -> assertThat(busy.lockName()).isEqualTo(name));
      }
      if (holder.traits().lists()) {
        List<LockInfo> listed = client.list(lock);
        assertThat(listed).extracting(LockInfo::name).containsExactlyInAnyOrderElementsOf(names);
        listed.forEach(info -> assertHarmless(info.toString(), info.name()));
      }
    }
  }

  private Holdfast client() {
    LockStore store = open();
    return Holdfast.builder()
        .store(store)
        .operationTimeout(Duration.ofSeconds(20))
        .defaults(LockOptions.defaults().ttl(ttl(store)))
        .build();
  }

  /** As long as the store allows, within reason: no claim of these tests is renewed. */
  private static Duration ttl(LockStore store) {
    Duration longest = store.traits().maxTtl();
    return longest.compareTo(Duration.ofMinutes(5)) < 0 ? longest : Duration.ofMinutes(5);
  }

  private static void take(LockStore store, String name) {
    Owner owner = new Owner("host", 7, "thread", "client", "label");
    String id = UUID.randomUUID().toString().replace("-", "");
    Claim claim = new Claim(id, name, Kind.MUTEX, 1, 1, owner, ttl(store), "value", 0, 0);
    assertThat(store.join(claim, false, Deadlines.far()).toCompletableFuture().join())
        .isInstanceOf(Granted.class);
  }

  private ClaimInfo onlyHolder(Holdfast client) {
    List<ClaimInfo> holders = client.inspect(lock).holders();
    assertThat(holders).hasSize(1);
    return holders.get(0);
  }

  private void assertShownWithoutHarm(Holdfast client, String where) {
    LockInfo seen = client.inspect(lock);
    assertHarmless(seen.toString(), where);
    assertHarmless(seen.holders().get(0).owner().toString(), where);
    assertHarmless(seen.holders().get(0).owner().describe(), where);
    assertThatExceptionOfType(LockTimeoutException.class)
        .as(where)
        .isThrownBy(() -> client.lock(lock).acquire(Duration.ofMillis(1)))
        .satisfies(busy -> assertHarmless(busy.getMessage(), where));
  }

  private static void assertBounded(ClaimInfo seen) {
    Owner owner = seen.owner();
    assertThat(List.of(owner.host(), owner.thread(), owner.client(), owner.label()))
        .allSatisfy(part -> assertThat(part).hasSizeLessThanOrEqualTo(LONGEST_PART));
    assertThat(seen.value()).hasSizeLessThanOrEqualTo(Claim.MAX_VALUE_BYTES);
  }

  private static void assertHarmless(@Nullable String shown, String where) {
    String text = String.valueOf(shown);
    assertThat(text).as(where).hasSizeLessThanOrEqualTo(LONGEST_LINE);
    assertThat(HostileText.isHarmless(text)).as("%s: %s", where, text).isTrue();
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
