package dev.holdfast.engine;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Leadership;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LeaseState;
import dev.holdfast.LockOptions;
import dev.holdfast.MultiLease;
import dev.holdfast.engine.SilentStore.Manner;
import dev.holdfast.engine.SilentStore.Verb;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Lost is not unknown: what a caller hears who renews while the store is silent. */
class LostWhileRenewingTest {

  private static final Duration VALID_FOR = LockOptions.defaults().validFor();

  private final Clients clients = Clients.plain();

  @AfterEach
  void close() {
    clients.close();
  }

  static Stream<Named<Consumer<Leadership>>> renewals() {
    return Stream.of(
        Named.of("renew", Lease::renew),
        Named.of("ensure", lease -> lease.ensure(ofSeconds(10))),
        Named.of("extend", lease -> lease.extend(null, Duration.ZERO)),
        Named.of("publish", lease -> lease.publish("b")));
  }

  private Leadership leading() throws InterruptedException {
    return clients.client.election("x").campaign("a");
  }

  @ParameterizedTest
  @MethodSource("renewals")
  void a_deadline_that_passes_while_the_answer_is_awaited_is_a_loss(Consumer<Leadership> renewal)
      throws Exception {
    Leadership lease = leading();
    clients.faults.set(Verb.REFRESH, Manner.IGNORES);
    clients.advance(VALID_FOR.minus(ofMillis(1)));
    assertThat(lease.isValid()).isTrue();
    Background<Void> renewing = renewing(renewal, lease);
    clients.advance(ofMillis(1));
    clients.advance(Clients.OPERATION_TIMEOUT);
    assertThatThrownBy(renewing::get).isInstanceOf(LeaseLostException.class);
    assertThat(lease.state()).isEqualTo(LeaseState.LOST);
  }

  @Test
  void the_same_holds_for_several_locks() throws Exception {
    MultiLease lease = clients.client.lockAll(List.of("x", "y")).acquire();
    clients.faults.set(Verb.REFRESH, Manner.IGNORES);
    clients.advance(VALID_FOR.minus(ofMillis(1)));
    Background<Boolean> renewing =
        Background.start(
                () -> {
                  lease.renew();
                  return true;
                })
            .awaitWaiting();
    clients.advance(Clients.OPERATION_TIMEOUT);
    assertThatThrownBy(renewing::get).isInstanceOf(LeaseLostException.class);
  }

  private Background<Void> renewing(Consumer<Leadership> renewal, Leadership lease) {
    return Background.<Void>start(
            () -> {
              renewal.accept(lease);
              return null;
            })
        .awaitWaiting();
  }
}
