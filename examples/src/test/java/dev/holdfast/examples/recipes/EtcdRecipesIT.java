package dev.holdfast.examples.recipes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.servers.EtcdServer;
import dev.holdfast.servers.NeedsServer;
import dev.holdfast.servers.Server;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The locks that are keys in etcd: its old HTTP keys, and its transactions. */
@NeedsServer(value = Server.ETCD, ofItsOwn = true)
class EtcdRecipesIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static EtcdServer server;

  private final EtcdHttp etcd = new EtcdHttp(server.endpoint());
  private final String name = "recipe-" + UUID.randomUUID();
  private final Holdfasts holdfasts = new Holdfasts(server.url());

  @BeforeAll
  static void start() {
    server = EtcdServer.start("--enable-v2=true");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Nested
  class CompareAndSwap {

    @Test
    @Shows("zero-and-one | a crash locks for ever | **yes**")
    void without_a_ttl_a_crash_locks_for_ever_and_holdfast_goes_on() throws Exception {
      CasLock crashed = new CasLock(etcd, name);
      assertThat(crashed.tryLock()).isTrue();
      String stored = etcd.v2("GET", name, "").body();
      assertThat(new CasLock(etcd, name).tryLock()).isFalse();
      assertThat(stored).as("nothing that would ever end").doesNotContain("ttl");
      holdfasts.replaceADeadHolder();
    }

    @Test
    @Shows({
      "zero-and-one | frees the lock of others | **yes**",
      "zero-and-one | a stale holder writes | once another freed it"
    })
    void any_client_that_swaps_back_to_zero_frees_the_lock_of_others() throws Exception {
      assertThat(new CasLock(etcd, name).tryLock()).isTrue();
      new CasLock(etcd, name).unlock();
      assertThat(new CasLock(etcd, name).tryLock()).as("two holders").isTrue();
      assertThat(staleWriteIsTaken()).isTrue();
      holdfasts.leaveTheNextHolderAlone();
    }

    @Test
    @Shows({
      "with-a-ttl | a crash locks for ever | no",
      "with-a-ttl | frees the lock of others | **yes**",
      "with-a-ttl | a stale holder writes | **yes**"
    })
    void with_a_ttl_a_late_unlock_frees_the_lock_of_the_next_holder() throws Exception {
      CasTtlLock slow = new CasTtlLock(etcd, name, 1);
      assertThat(slow.tryLock()).isTrue();
      CasTtlLock next = new CasTtlLock(etcd, name, 60);
      await().atMost(PATIENCE).until(next::tryLock);
      assertThat(staleWriteIsTaken()).isTrue();
      slow.unlock();
      assertThat(new CasTtlLock(etcd, name, 60).tryLock()).as("two holders").isTrue();
      holdfasts.leaveTheNextHolderAlone();
    }

    @Test
    @Shows({
      "with-a-version | a crash locks for ever | no",
      "with-a-version | frees the lock of others | no"
    })
    void with_a_version_a_late_unlock_and_a_late_renewal_do_nothing() throws Exception {
      CasVersionLock slow = new CasVersionLock(etcd, name, 5);
      assertThat(slow.tryLock()).isTrue();
      assertThat(slow.renew()).isTrue();
      CasVersionLock next = new CasVersionLock(etcd, name, 60);
      await().atMost(PATIENCE).until(next::tryLock);
      slow.unlock();
      assertThat(slow.renew()).isFalse();
      assertThat(new CasVersionLock(etcd, name, 60).tryLock()).as("still held").isFalse();
    }

    @Test
    @Shows("with-a-version | a stale holder writes | **yes**")
    void but_between_the_double_check_and_the_write_the_lock_can_pass_on() throws Exception {
      CasVersionLock slow = new CasVersionLock(etcd, name, 5);
      assertThat(slow.tryLock()).isTrue();
      assertThat(slow.isLocked()).as("the double check").isTrue();
      // Here the process is paused, and another one takes over.
      await().atMost(PATIENCE).until(() -> new CasVersionLock(etcd, name, 60).tryLock());
      assertThat(staleWriteIsTaken()).isTrue();
      assertThat(slow.isLocked()).as("asked again, it would have known").isFalse();
      holdfasts.refuseAStaleHolder();
    }

    @Test
    @Shows({
      "zero-and-one | not reentrant | **yes**",
      "with-a-ttl | not reentrant | **yes**",
      "with-a-version | not reentrant | **yes**"
    })
    void none_of_them_is_reentrant_and_holdfast_is() throws Exception {
      for (CasLock lock :
          List.of(
              new CasLock(etcd, name),
              new CasTtlLock(etcd, name + "-ttl", 60),
              new CasVersionLock(etcd, name + "-version", 60))) {
        assertThat(lock.tryLock()).isTrue();
        assertThat(lock.tryLock()).isFalse();
      }
      holdfasts.letTheHolderInAgain();
    }
  }

  @Nested
  class KeysOverHttp {

    @Test
    @Shows({
      "a-key-that-must-not-exist | a crash locks for ever | no",
      "a-key-that-must-not-exist | frees the lock of others | no"
    })
    void a_value_that_nobody_else_knows_keeps_others_from_releasing() throws Exception {
      UuidLock slow = new UuidLock(etcd, name, 5);
      assertThat(slow.tryLock()).isTrue();
      assertThat(slow.renew()).isTrue();
      UuidLock next = new UuidLock(etcd, name, 60);
      await().atMost(PATIENCE).until(next::tryLock);
      assertThat(slow.unlock()).isFalse();
      assertThat(slow.renew()).isFalse();
      assertThat(next.renew()).isTrue();
    }

    @Test
    @Shows("a-key-that-must-not-exist | a stale holder writes | **yes**")
    void but_a_stale_holder_has_no_token_that_a_resource_could_refuse() throws Exception {
      UuidLock slow = new UuidLock(etcd, name, 1);
      assertThat(slow.tryLock()).isTrue();
      await().atMost(PATIENCE).until(() -> new UuidLock(etcd, name, 60).tryLock());
      assertThat(staleWriteIsTaken()).isTrue();
      holdfasts.refuseAStaleHolder();
    }

    @Test
    @Shows("a-key-that-must-not-exist | not reentrant | **yes**")
    void nor_does_its_holder_get_in_again() throws Exception {
      UuidLock held = new UuidLock(etcd, name, 60);
      assertThat(held.tryLock()).isTrue();
      assertThat(held.tryLock()).isFalse();
      holdfasts.letTheHolderInAgain();
    }

    @Test
    void keys_in_order_are_served_in_order() throws Exception {
      InOrderLock first = new InOrderLock(etcd, name);
      InOrderLock second = new InOrderLock(etcd, name);
      first.enter();
      second.enter();
      assertThat(first.isLocked()).isTrue();
      assertThat(second.isLocked()).isFalse();
      first.unlock();
      assertThat(second.isLocked()).isTrue();
    }

    @Test
    @Shows({
      "keys-in-order | frees the lock of others | no",
      "keys-in-order | a stale holder writes | once another freed it"
    })
    void a_late_unlock_of_a_key_in_order_frees_nobody_else() throws Exception {
      InOrderLock slow = new InOrderLock(etcd, name);
      InOrderLock next = new InOrderLock(etcd, name);
      slow.enter();
      next.enter();
      slow.unlock(); // an operator believes that the slow holder is dead
      assertThat(next.isLocked()).isTrue();
      assertThat(staleWriteIsTaken()).isTrue();
      slow.unlock(); // it was not dead
      assertThat(next.isLocked()).as("still held").isTrue();
      holdfasts.refuseAStaleHolder();
    }

    @Test
    @Shows("keys-in-order | not reentrant | **yes**")
    void a_holder_that_enters_a_queue_again_waits_for_itself() throws Exception {
      InOrderLock held = new InOrderLock(etcd, name);
      held.enter();
      assertThat(held.isLocked()).isTrue();
      held.enter();
      assertThat(held.isLocked()).isFalse();
    }

    @Test
    @Shows("keys-in-order | a crash locks for ever | **yes**")
    void but_one_that_crashed_while_it_waited_blocks_all_behind_it() throws Exception {
      InOrderLock first = new InOrderLock(etcd, name);
      InOrderLock crashed = new InOrderLock(etcd, name);
      InOrderLock third = new InOrderLock(etcd, name);
      first.enter();
      crashed.enter();
      third.enter();
      first.unlock();
      assertThat(third.isLocked()).as("the crashed one has the lock, for ever").isFalse();
      assertThat(crashed.isLocked()).isTrue();
      holdfasts.replaceADeadHolder();
    }
  }

  @Nested
  class MutexByRevision {

    @Test
    @Shows("the-mutex-by-revision | a crash locks for ever | no")
    void the_lowest_revision_holds_and_the_end_of_its_session_grants_the_next() throws Exception {
      EtcdMutex first = new EtcdMutex(etcd, name, 60);
      EtcdMutex second = new EtcdMutex(etcd, name, 60);
      assertThat(first.tryLock()).isTrue();
      assertThat(second.tryLock()).isFalse();
      first.sessionEnds();
      assertThat(second.tryLock()).isTrue();
      assertThat(second.revision()).isGreaterThan(first.revision());
    }

    @Test
    @Shows("the-mutex-by-revision | wakes a herd | no")
    void each_waits_for_the_one_before_it_and_no_other() throws Exception {
      EtcdMutex holder = new EtcdMutex(etcd, name, 60);
      EtcdMutex first = new EtcdMutex(etcd, name, 60);
      EtcdMutex second = new EtcdMutex(etcd, name, 60);
      assertThat(holder.tryLock()).isTrue();
      assertThat(first.tryLock()).isFalse();
      assertThat(second.tryLock()).isFalse();
      assertThat(first.waitsFor()).isEqualTo(holder.key());
      assertThat(second.waitsFor()).isEqualTo(first.key());
    }

    @Test
    @Shows("the-mutex-by-revision | frees the lock of others | no")
    void a_late_unlock_deletes_nothing_but_its_own_key() throws Exception {
      EtcdMutex slow = new EtcdMutex(etcd, name, 60);
      EtcdMutex next = new EtcdMutex(etcd, name, 60);
      assertThat(slow.tryLock()).isTrue();
      slow.sessionEnds();
      assertThat(next.tryLock()).isTrue();
      slow.unlock();
      assertThat(new EtcdMutex(etcd, name, 60).tryLock()).as("still held").isFalse();
    }

    @Test
    @Shows("the-mutex-by-revision | a stale holder writes | **yes**")
    void but_a_holder_paused_through_its_session_does_not_know_and_writes() throws Exception {
      EtcdMutex paused = new EtcdMutex(etcd, name, 60);
      assertThat(paused.tryLock()).isTrue();
      paused.sessionEnds();
      assertThat(new EtcdMutex(etcd, name, 60).tryLock()).isTrue();
      assertThat(staleWriteIsTaken()).isTrue();
      holdfasts.refuseAStaleHolder();
    }

    @Test
    @Shows("the-mutex-by-revision | not reentrant | within a session, without counting")
    void within_a_session_everybody_has_it_and_the_first_unlock_ends_it_for_all() throws Exception {
      EtcdMutex session = new EtcdMutex(etcd, name, 60);
      assertThat(session.tryLock()).isTrue();
      assertThat(session.tryLock()).as("two threads of a session both hold it").isTrue();
      session.unlock();
      assertThat(new EtcdMutex(etcd, name, 60).tryLock()).as("and neither does any more").isTrue();
      holdfasts.letTheHolderInAgain();
    }
  }

  /** There is nothing in a write of these recipes by which the data could tell old from new. */
  private boolean staleWriteIsTaken() throws Exception {
    return etcd.isPut(name + "-data", "value=stale");
  }
}
