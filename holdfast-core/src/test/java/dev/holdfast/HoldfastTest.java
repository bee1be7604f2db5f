package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.memory.MemoryLockStore;
import dev.holdfast.memory.MemorySpace;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Ticker;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HoldfastTest {

  private final MemorySpace space = new MemorySpace();
  private final Ticker ticker = Ticker.system("holdfast-test-timer");
  private final Holdfast locks = client("first");
  private final Holdfast others = client("second");

  private Holdfast client(String name) {
    return Holdfast.builder()
        .store(new MemoryLockStore(space, ticker))
        .ticker(ticker)
        .clientName(name)
        .build();
  }

  @AfterEach
  void close() {
    locks.close();
    others.close();
    ticker.close();
  }

  @Test
  void inspect_tells_who_holds_a_lock_and_who_waits() throws Exception {
    try (Lease lease = locks.lock("orders/42").acquire()) {
      others.lock("orders/42").acquireAsync();
      LockInfo info = locks.inspect("orders/42");
      assertThat(info.isHeld()).isTrue();
      assertThat(info.holders()).hasSize(1);
      assertThat(info.holders().get(0).owner()).isEqualTo(lease.owner());
      assertThat(info.holders().get(0).token()).isEqualTo(lease.token());
      assertThat(info.waiters()).hasSize(1);
      assertThat(info.waiters().get(0).owner().label()).isEqualTo("second");
      assertThat(info.waiters().get(0).token()).isZero();
    }
  }

  @Test
  void inspect_tells_that_nobody_uses_a_lock() {
    assertThat(locks.inspect("orders/42")).isEqualTo(LockInfo.free("orders/42"));
    assertThat(LockInfo.free("x").isHeld()).isFalse();
  }

  @Test
  void options_that_were_accepted_are_not_checked_again_and_refused_ones_are() {
    AtomicInteger checks = new AtomicInteger();
    Traits traits = new MemoryLockStore(space, ticker).traits();
    LockStore counting =
        (LockStore)
            Proxy.newProxyInstance(
                LockStore.class.getClassLoader(),
                new Class<?>[] {LockStore.class},
                (proxy, method, arguments) -> {
                  checks.addAndGet(method.getName().equals("traits") ? 1 : 0);
                  return method.getName().equals("traits") ? traits : null;
                });
    try (Holdfast client = Holdfast.builder().store(counting).ticker(ticker).build()) {
      LockOptions same = LockOptions.defaults().label("x");
      client.lock("a", same);
      int once = checks.get();
      client.lock("b", same);
      client.lock("c", LockOptions.defaults().label("x"));
      assertThat(checks).hasValue(once);

      LockOptions wrong =
          LockOptions.defaults().ttl(Duration.ofSeconds(1)).maxHold(Duration.ofMillis(1));
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> client.lock("d", wrong))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("maxHold (PT0.001S)");
      }
      assertThat(client.lock("e", same).options()).isEqualTo(same);
    }
  }

  @Test
  void list_tells_the_locks_in_use_by_prefix_in_order() throws Exception {
    try (Lease b = locks.lock("orders/b").acquire();
        Lease a = others.lock("orders/a").acquire();
        Lease c = locks.lock("other").acquire()) {
      assertThat(locks.list("orders/"))
          .extracting(LockInfo::name)
          .containsExactly("orders/a", "orders/b");
      assertThat(List.of(a, b, c)).allMatch(Lease::isValid);
    }
    assertThat(locks.list("")).isEmpty();
  }

  @Test
  void a_lock_can_be_broken_and_the_next_token_is_greater() throws Exception {
    Lease broken = locks.lock("x").acquire();
    assertThat(others.breakLock("x")).isTrue();
    assertThat(others.breakLock("x")).isFalse();
    try (Lease next = others.lock("x").acquire()) {
      assertThat(next.token()).isGreaterThan(broken.token());
      assertThat(broken.release()).isFalse();
      assertThat(next.isValid()).isTrue();
    }
  }

  @Test
  void verify_asks_the_store_whether_the_client_of_a_proof_holds_the_lock() throws Exception {
    Proof proof;
    try (Lease lease = locks.lock("x").acquire()) {
      proof = lease.proof();
      assertThat(others.verify(proof)).isTrue();
      Proof older = new Proof("x", proof.token() - 1, proof.mode(), proof.owner());
      assertThat(others.verify(older)).isFalse();
      Owner stranger = new Owner("h", 1, "t", "another client", "");
      assertThat(others.verify(new Proof("x", proof.token(), proof.mode(), stranger))).isFalse();
    }
    assertThat(others.verify(proof)).isFalse();
    try (Lease next = others.lock("x").acquire()) {
      assertThat(next.isValid()).isTrue();
      assertThat(locks.verify(proof)).isFalse();
    }
  }

  @Test
  void a_proof_holds_what_a_worker_needs_and_no_secret() throws Exception {
    try (Lease lease = locks.lock("x").acquire()) {
      assertThat(lease.proof())
          .isEqualTo(new Proof("x", lease.token(), Mode.EXCLUSIVE, lease.owner()));
      assertThat(lease).hasToString("Lease[x, token " + lease.token() + ", HELD]");
    }
  }

  @Test
  void the_owner_is_this_process_and_thread_and_no_two_clients_share_one() throws Exception {
    try (Lease one = locks.lock("a").acquire();
        Lease two = others.lock("b").acquire()) {
      assertThat(one.owner().pid()).isEqualTo(ProcessHandle.current().pid());
      assertThat(one.owner().thread()).isEqualTo(Thread.currentThread().getName());
      assertThat(one.owner().host()).isNotBlank();
      assertThat(one.owner().client()).isNotEqualTo(two.owner().client());
    }
  }

  @Test
  void the_label_of_the_options_goes_before_the_name_of_the_client() throws Exception {
    try (Lease plain = locks.lock("a").acquire();
        Lease labelled = locks.lock("b", LockOptions.defaults().label("nightly")).acquire()) {
      assertThat(plain.owner().label()).isEqualTo("first");
      assertThat(labelled.owner().label()).isEqualTo("nightly");
    }
  }

  @Test
  void a_lock_knows_its_name_and_options() {
    LockOptions options = LockOptions.defaults().label("nightly");
    assertThat(locks.lock("x", options).name()).isEqualTo("x");
    assertThat(locks.lock("x", options).options()).isEqualTo(options);
    assertThat(locks.lock("x").options()).isEqualTo(LockOptions.defaults());
  }

  @Test
  void options_that_the_store_cannot_honour_are_refused_when_the_lock_is_made() {
    assertThatThrownBy(() -> locks.lock("x", LockOptions.defaults().ttl(Duration.ofNanos(10))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("ttl (PT0.00000001S) is outside what memory: takes: PT0.001S to PT87600H");
  }

  @Test
  void the_floor_can_be_raised_by_hand() throws Exception {
    locks.forceFloor("x", 9_000_000_000_000_000L);
    try (Lease lease = locks.lock("x").acquire()) {
      assertThat(lease.token()).isGreaterThan(9_000_000_000_000_000L);
    }
  }

  @Test
  void a_detached_lease_travels_as_text_to_another_client() throws Exception {
    String secret = locks.lock("x").acquire().detach().secret();
    try (Lease resumed = others.attach(LeaseHandle.parse(secret))) {
      assertThat(resumed.isValid()).isTrue();
      assertThat(locks.lock("x").tryAcquire()).isNull();
    }
  }

  @Test
  void it_tells_what_the_store_can_do() {
    assertThat(locks.traits().fair()).isTrue();
    assertThat(locks.traits().consistency()).isEqualTo(Consistency.LINEARIZABLE);
    assertThat(locks.traits().spansProcesses()).isFalse();
    assertThat(locks).hasToString("Holdfast[memory:]");
  }
}
