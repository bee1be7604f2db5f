package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.etcd.EtcdLeases.EtcdLease;
import dev.holdfast.leased.LeaseClasses;
import dev.holdfast.leased.LeaseClasses.LeaseClass;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.testkit.ManualTicker;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Leases and members while no member answers. */
class EtcdLeasesTest {

  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private final ManualTicker ticker = new ManualTicker();

  @Test
  void a_ttl_that_is_not_used_any_more_is_forgotten() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Channels members = members(silent, 1);
      LeaseClasses<EtcdLease> leases = leases(members);
      LeaseClass<EtcdLease> two = leases.of(Duration.ofSeconds(2));
      assertThat(leases.of(Duration.ofMillis(1001))).isSameAs(two);

      leases.of(Duration.ofSeconds(3));

      assertThat(leases.of(Duration.ofSeconds(2))).isNotSameAs(two);
      members.close();
    }
  }

  @Test
  void a_member_that_had_little_time_is_not_blamed_for_its_silence() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Channels members = members(silent, 3);
      Calls calls = calls(members);

      var unanswered = calls.grant(2, Deadline.in(Duration.ofMillis(40), ticker));
      ticker.advance(Duration.ofMillis(40));

      assertThat(unanswered).failsWithin(Duration.ofSeconds(60));
      assertThat(members.current()).isZero();
      members.close();
    }
  }

  @Test
  void a_request_that_many_wait_for_does_not_end_early_for_those_with_more_time() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Channels members = members(silent, 1);
      LeaseClasses<EtcdLease> leases = leases(members);
      LeaseClass<EtcdLease> shared = leases.of(Duration.ofSeconds(2));
      var hurried = shared.renewed(Deadline.in(Duration.ofMillis(40), ticker));
      var patient = shared.renewed(Deadline.in(Duration.ofMillis(90), ticker));

      ticker.advance(Duration.ofMillis(89));
      assertThat(hurried).isCompletedExceptionally();
      assertThat(patient).isNotDone();

      ticker.advance(Duration.ofMillis(1));
      assertThat(patient).isCompletedExceptionally();
      members.close();
    }
  }

  private LeaseClasses<EtcdLease> leases(Channels members) {
    return new EtcdKeyCalls(calls(members), "holdfast/").leases;
  }

  private Calls calls(Channels members) {
    return new Calls("etcd:", members, new StoreSettings(ticker, TIMEOUT));
  }

  private static Channels members(ServerSocket silent, int count) {
    String address = "127.0.0.1:" + silent.getLocalPort();
    return new Channels(
        IntStream.range(0, count)
            .mapToObj(
                number ->
                    Grpc.newChannelBuilder(address, InsecureChannelCredentials.create()).build())
            .toList(),
        true);
  }
}
