package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.StoreException;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Tokens;
import dev.holdfast.spi.Unknown;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.store.Ask;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One record that this version cannot read or write leaves all others alone. */
class BadRecordTest {

  @TempDir Path directory;

  private TestDatabase database;
  private LockStore store;
  private final List<Claim> claims = new ArrayList<>();

  @BeforeEach
  void open() throws Exception {
    database = new TestDatabase(directory);
    store = database.open();
    for (int i = 0; i < 10; i++) {
      Claim claim = Ask.mutex("lock " + i);
      Ask.join(store, claim);
      claims.add(claim);
    }
  }

  @AfterEach
  void close() throws Exception {
    database.close();
  }

  @Test
  void a_record_of_a_newer_format_is_unknown_and_stays_as_it_is() throws Exception {
    database.run("UPDATE holdfast_lock SET format = 2 WHERE name = 'lock 3'");

    onlyTheThirdIsUnknown(Ask.of(store.refresh(claims, Deadlines.far())));
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> Ask.join(store, Ask.mutex("lock 3")))
        .withMessageContaining("in holdfast_lock, name 'lock 3'")
        .withMessageContaining("it has format 2");
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> Ask.of(store.evict("lock 3", LockStore.ANY_TOKEN)));
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> Ask.of(store.inspect("lock 3")));
    assertThat(Ask.leave(store, claims.get(3))).isEqualTo(Left.UNKNOWN);
    assertThat(
            database.number(
                "SELECT count(*) FROM holdfast_lock WHERE format = 2 AND claim_id IS NOT NULL"))
        .isEqualTo(1);
  }

  @Test
  void a_record_with_contents_from_the_future_is_unknown() throws Exception {
    database.run("UPDATE holdfast_lock SET kind = 'BARRIER' WHERE name = 'lock 3'");

    onlyTheThirdIsUnknown(Ask.of(store.refresh(claims, Deadlines.far())));
  }

  @Test
  void a_record_with_an_absurd_token_is_refused_by_name() throws Exception {
    for (long absurd : new long[] {Long.MIN_VALUE, -1, Tokens.MAX + 1, Long.MAX_VALUE}) {
      for (String column : List.of("last_token", "token")) {
        database.run(
            ("UPDATE holdfast_lock SET expires = 9000000000000000, ttl = 9000000000000000,"
                    + " last_token = 5, token = 5, %s = %d WHERE name = 'lock 3'")
                .formatted(column, absurd));
        assertThatExceptionOfType(StoreException.class)
            .isThrownBy(() -> Ask.join(store, Ask.mutex("lock 3")))
            .withMessageContainingAll("'lock 3'", "holdfast_lock", "break --force");
      }
      database.run(
          "UPDATE holdfast_lock SET expires = 0, last_token = %d WHERE name = 'lock 3'"
              .formatted(absurd));
      assertThatExceptionOfType(StoreException.class)
          .isThrownBy(() -> Ask.join(store, Ask.mutex("lock 3").asking(2, 0)));
    }
  }

  @Test
  void a_record_that_cannot_be_written_is_unknown() throws Exception {
    database.run(
        "CREATE TRIGGER stuck BEFORE UPDATE ON holdfast_lock WHEN old.name = 'lock 3'"
            + " BEGIN SELECT RAISE(ABORT, 'this row cannot be written'); END");

    onlyTheThirdIsUnknown(Ask.of(store.refresh(claims, Deadlines.far())));

    Map<Claim, Left> left =
        Ask.of(store.leave(claims.stream().map(Departure::of).toList(), Deadlines.far()));
    assertThat(left).containsEntry(claims.get(3), Left.UNKNOWN);
    assertThat(left.values()).filteredOn(Left.LEFT::equals).hasSize(9);
  }

  private void onlyTheThirdIsUnknown(Map<Claim, Standing> standings) {
    for (Claim claim : claims) {
      assertThat(standings.get(claim))
          .as(claim.lock())
          .isInstanceOf(claim.equals(claims.get(3)) ? Unknown.class : Granted.class);
    }
  }
}
