package dev.holdfast.testkit.rules.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastListener;
import dev.holdfast.Kind;
import dev.holdfast.Lease;
import dev.holdfast.LeaseHandle;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LeaseState;
import dev.holdfast.LockEvent;
import dev.holdfast.LockEvent.Type;
import dev.holdfast.LockInfo;
import dev.holdfast.LockOptions;
import dev.holdfast.LossReason;
import dev.holdfast.Proof;
import dev.holdfast.spi.LockStore;
import dev.holdfast.testkit.ManualTicker;
import dev.holdfast.testkit.StoreFixture;
import dev.holdfast.testkit.rules.Rules;
import dev.holdfast.testkit.rules.Scene;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What a lease can do, and what others see of it. */
public abstract class LeaseRules extends EngineRules {

  @Test
  void a_proof_is_verified_while_its_lease_is_held_and_not_afterwards() throws Exception {
    Lease lease = a.lock(name).acquire();
    Proof proof = lease.proof();
    assertThat(proof.lock()).isEqualTo(name);
    assertThat(proof.token()).isEqualTo(lease.token());

    assertThat(b.verify(proof)).isTrue();
    lease.close();
    assertThat(b.verify(proof)).isFalse();

    try (Lease next = b.lock(name).acquire()) {
      assertThat(a.verify(proof)).isFalse();
      assertThat(a.verify(next.proof())).isTrue();
    }
  }

  @Test
  void a_holder_is_shown_by_its_label_or_its_client() throws Exception {
    try (Lease labelled = a.lock(name, scene().lasting().label("nightly-report")).acquire();
        Lease unlabelled =
            scene().client(builder -> builder.clientName("billing")).lock(name + "/2").acquire()) {
      assertThat(labelled.owner().label()).isEqualTo("nightly-report");
      assertThat(unlabelled.owner().label()).isEqualTo("billing");
      if (scene().traits().lists()) {
        assertThat(b.list(name)).extracting(LockInfo::name).containsExactly(name, name + "/2");
      } else {
        assertThatThrownBy(() -> b.list(name))
            .isInstanceOf(UnsupportedOperationException.class)
            .hasMessageContaining("cannot tell which locks are in use");
      }
      assertThat(b.inspect(name).holders().get(0).owner()).isEqualTo(labelled.owner());
      assertThat(b.inspect(name).holders().get(0).token()).isEqualTo(labelled.token());
    }
  }

  @Test
  void a_detached_lease_is_resumed_by_another_client() throws Exception {
    Lease lease = a.lock(name).acquire();
    if (!scene().traits().detachable()) {
      assertThatThrownBy(lease::detach).isInstanceOf(UnsupportedOperationException.class);
      assertThat(lease.isValid()).isTrue();
      return;
    }

    LeaseHandle handle = LeaseHandle.parse(lease.detach().secret());
    assertThat(lease.state()).isEqualTo(LeaseState.RELEASED);
    assertThat(isFree(a)).isFalse();
    Lease resumed = b.attach(handle);

    assertThat(resumed.token()).isEqualTo(lease.token());
    assertThat(resumed.isValid()).isTrue();
    lease.close();
    assertThat(resumed.isValid()).isTrue();
    assertThat(isFree(a)).isFalse();
    assertThat(resumed.release()).isTrue();
    assertThat(isFree(a)).isTrue();
  }

  @Test
  void a_detached_lease_that_was_not_resumed_in_time_is_lost() throws Exception {
    Lease lease = brief(a).acquire();
    if (!scene().traits().detachable()) {
      assertThatThrownBy(lease::detach).isInstanceOf(UnsupportedOperationException.class);
      return;
    }
    LeaseHandle handle = lease.detach();

    Lease next = scene().resultInTime(b.lock(name).acquireAsync());

    assertThatThrownBy(() -> a.attach(handle)).isInstanceOf(LeaseLostException.class);
    assertThat(next.isValid()).isTrue();
  }

  @Test
  void a_lock_stays_taken_for_its_shortest_hold_although_it_is_released_earlier() throws Exception {
    Duration shortest = Duration.ofMillis(600);
    LockOptions options = scene().lasting().minHold(shortest);
    if (!scene().traits().lingers()) {
      assertThatThrownBy(() -> a.lock(name, options))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("minHold");
      return;
    }
    long start = scene().nanoTime();
    Lease lease = a.lock(name, options).acquire();
    CompletableFuture<Lease> local = a.lock(name, options).acquireAsync();
    assertThat(lease.release()).isTrue();
    CompletableFuture<Lease> next = b.lock(name).acquireAsync();

    scene().resultInTime(either(next, local));

    assertThat(Duration.ofNanos(scene().nanoTime() - start))
        .isGreaterThanOrEqualTo(shortest.minus(Rules.CLOCK_TOLERANCE));
  }

  @Test
  void ensure_renews_when_too_little_is_left() throws Exception {
    LockOptions options = scene().lasting();
    Lease lease = a.lock(name, options).acquire();
    Duration some = options.validFor().dividedBy(4);

    assertThatCode(() -> lease.ensure(some)).doesNotThrowAnyException();
    assertThat(lease.remaining()).isBetween(some, options.validFor());
    assertThatThrownBy(() -> lease.ensure(options.ttl()))
        .as("more than any renewal could give")
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(options.ttl().toString());
    lease.renew();
    assertThat(lease.isValid()).isTrue();
    lease.close();
    assertThatThrownBy(() -> lease.ensure(Duration.ofMillis(1)))
        .isInstanceOf(LeaseLostException.class);
  }

  /** Pitfall 13: the token is the lease's own, whatever happens at the store. */
  @Test
  void a_held_lease_is_renewed_for_as_long_as_it_is_held() throws Exception {
    Duration ttl = scene().brief().ttl().multipliedBy(2);
    Lease lease = holdFor(ttl.multipliedBy(3), scene().brief().ttl(ttl));
    // A machine that stalls for longer than the ttl loses it, but not with longer and longer ones.
    for (int again = 0; again < 3 && !scene().drivesClock() && !lease.isValid(); again++) {
      lease.close();
      ttl = ttl.multipliedBy(2);
      lease = holdFor(ttl.multipliedBy(3), scene().brief().ttl(ttl));
    }

    assertThat(lease.state()).isIn(LeaseState.HELD, LeaseState.JEOPARDY);
    assertThat(isFree(b)).isFalse();
    assertThat(lease.release()).isTrue();
  }

  private Lease holdFor(Duration time, LockOptions options) throws InterruptedException {
    Lease lease = a.lock(name, options).acquire();
    long token = lease.token();
    scene().pass(time);
    assertThat(lease.token()).isEqualTo(token);
    return lease;
  }

  @Test
  void a_lock_that_is_in_use_as_something_else_is_refused() throws Exception {
    if (!scene().traits().kinds().contains(Kind.SEMAPHORE)) {
      assertThat(scene().traits().kinds()).doesNotContain(Kind.SEMAPHORE);
      return;
    }
    try (Scene other = new Scene(new Shared(scene()))) {
      other.first().granted(other.permits(name, 1, 3));

      assertThatThrownBy(() -> a.lock(name).acquire())
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("SEMAPHORE")
          .hasMessageContaining(name);
    }
  }

  /** Pitfall 35. */
  @Test
  void a_listener_that_throws_disturbs_nobody() throws Exception {
    AtomicInteger heard = new AtomicInteger();
    HoldfastListener failing =
        event -> {
          if (event.type() == Type.GRANTED) {
            heard.incrementAndGet();
            throw new IllegalStateException("on purpose");
          }
          if (event.type() == Type.RELEASED) {
            heard.incrementAndGet();
            throw new AssertionError("on purpose");
          }
        };
    Holdfast client = scene().client(builder -> builder.listener(failing));

    for (int i = 0; i < 3; i++) {
      client.lock(name).acquire().close();
    }

    scene().soon("the listener gets every event", () -> heard.get() == 6);
    assertThat(isFree(b)).isTrue();
  }

  @Test
  void what_happens_to_a_lock_is_reported_to_every_listener_in_its_order() throws Exception {
    List<LockEvent> one = new CopyOnWriteArrayList<>();
    List<LockEvent> two = new CopyOnWriteArrayList<>();
    Holdfast client = scene().client(builder -> builder.listener(one::add).listener(two::add));

    client.lock(name).acquire().close();
    Lease lost = client.lock(name, scene().brief().label("nightly")).acquire();
    b.breakLock(name);

    scene().eventually("the loss is reported", () -> count(two, Type.LOST) == 1);
    assertThat(one)
        .extracting(LockEvent::type)
        // A machine that stalls may bring it into jeopardy first.
        .filteredOn(type -> !Set.of(Type.STORE_CALL, Type.RENEWED, Type.JEOPARDY).contains(type))
        .containsExactly(
            Type.WAIT_STARTED,
            Type.GRANTED,
            Type.WAIT_ENDED,
            Type.RELEASED,
            Type.WAIT_STARTED,
            Type.GRANTED,
            Type.WAIT_ENDED,
            Type.LOST);
    LockEvent loss = one.get(one.size() - 1);
    assertThat(loss.token()).isEqualTo(lost.token());
    assertThat(loss.label()).isEqualTo("nightly");
    assertThat(loss.outcome()).isEqualTo(LossReason.ENDED_BY_STORE.name());
    assertThat(two).containsExactlyElementsOf(one);
    assertThat(client.droppedEvents()).isZero();
  }

  private static long count(List<LockEvent> events, Type type) {
    return events.stream().filter(event -> event.type() == type).count();
  }

  @Test
  void a_client_that_is_closed_takes_no_more_requests() {
    Holdfast client = scene().client();
    client.close();
    client.close();

    assertThatThrownBy(() -> client.lock(name).acquire())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
    assertThatThrownBy(() -> client.inspect(name)).isInstanceOf(IllegalStateException.class);
  }

  private static CompletableFuture<Lease> either(
      CompletableFuture<Lease> one, CompletableFuture<Lease> two) {
    return one.applyToEither(two, lease -> lease);
  }

  /** Another view of the same store; what it stands on is closed by the engine's scene. */
  private record Shared(EngineScene scene) implements StoreFixture {
    @Override
    public LockStore open() {
      return scene.fixture().open();
    }

    @Override
    public Optional<ManualTicker> ticker() {
      return scene.fixture().ticker();
    }
  }
}
