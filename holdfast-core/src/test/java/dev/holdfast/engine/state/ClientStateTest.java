package dev.holdfast.engine.state;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Traits;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ClientStateTest {

  private final ClientState client =
      new ClientState(
          (request, spares, floor) -> {
            throw new AssertionError("no claim is made here");
          },
          ofSeconds(5),
          Traits.builder().ttl(ofSeconds(3), ofSeconds(60)).ttlResolution(ofSeconds(1)).build());

  private Duration ttlOf(Duration wanted) {
    return Duration.ofNanos(client.ttlOf(wanted.toNanos()));
  }

  @Test
  void a_ttl_is_rounded_up_to_the_resolution_of_the_store() {
    assertThat(ttlOf(ofMillis(7_001))).isEqualTo(ofSeconds(8));
    assertThat(ttlOf(ofSeconds(7))).isEqualTo(ofSeconds(7));
  }

  @Test
  void a_ttl_is_never_shorter_than_the_store_takes() {
    assertThat(ttlOf(ofMillis(1_200))).isEqualTo(ofSeconds(3));
    assertThat(ttlOf(ofMillis(-5))).isEqualTo(ofSeconds(3));
  }
}
