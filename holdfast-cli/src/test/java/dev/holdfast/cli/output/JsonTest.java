package dev.holdfast.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ClaimInfo;
import dev.holdfast.Kind;
import dev.holdfast.LockInfo;
import dev.holdfast.Mode;
import dev.holdfast.Owner;
import dev.holdfast.Traits;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonTest {

  @Test
  void maps_lists_and_plain_values_become_json() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("a", 1);
    map.put("b", Arrays.asList(true, null, "x"));
    map.put("c", Map.of());
    map.put("d", List.of());
    assertThat(Json.of(map)).isEqualTo("{\"a\":1,\"b\":[true,null,\"x\"],\"c\":{},\"d\":[]}");
  }

  @Test
  void whatever_a_name_holds_is_escaped() {
    assertThat(Json.of("\"\\\n\t\u0001\u007fé€"))
        .isEqualTo("\"\\\"\\\\\\u000a\\u0009\\u0001\\u007fé€\"");
    assertThat(Json.of("🔒\u009b\u202e")).isEqualTo("\"🔒\\u009b\\u202e\"");
    assertThat(Json.of("\ud83d")).isEqualTo("\"\\ud83d\"");
  }

  @Test
  void a_lock_has_the_documented_shape_with_its_token_as_a_string() {
    Owner owner = new Owner("web-3", 4121, "main", "c1", "report.sh");
    ClaimInfo holder =
        new ClaimInfo(
            owner,
            Mode.EXCLUSIVE,
            1,
            1794770057859897L,
            1794770057859897L,
            Duration.ofSeconds(31),
            Duration.ofSeconds(28),
            null);
    ClaimInfo waiter =
        new ClaimInfo(
            owner, Mode.EXCLUSIVE, 1, 0, 0, Duration.ofMillis(5), Duration.ofSeconds(9), "v");
    LockInfo lock = new LockInfo("invoice/42", Kind.MUTEX, 1, List.of(holder), List.of(waiter));
    String ownerJson =
        "{\"host\":\"web-3\",\"pid\":4121,\"thread\":\"main\",\"client\":\"c1\",\"label\":\"report.sh\"}";
    assertThat(Json.of(LockJson.lock(lock)))
        .isEqualTo(
            "{\"name\":\"invoice/42\",\"kind\":\"mutex\",\"capacity\":1,\"holders\":[{\"owner\":"
                + ownerJson
                + ",\"mode\":\"exclusive\",\"weight\":1,\"token\":\"1794770057859897\","
                + "\"ageMillis\":31000,\"remainingMillis\":28000,\"keepable\":false,\"value\":null}],"
                + "\"waiters\":[{\"owner\":"
                + ownerJson
                + ",\"mode\":\"exclusive\",\"weight\":1,\"token\":null,"
                + "\"ageMillis\":5,\"remainingMillis\":9000,\"keepable\":false,\"value\":\"v\"}]}");
  }

  @Test
  void traits_have_the_documented_shape() {
    assertThat(Json.of(LockJson.traits(Traits.builder().fair().build())))
        .isEqualTo(
            "{\"fair\":true,\"pushes\":false,\"minTtlMillis\":10,\"maxTtlMillis\":86400000,"
                + "\"ttlResolutionMillis\":1,\"expiryLagMillis\":0,"
                + "\"kinds\":[\"mutex\",\"election\"],\"lingers\":false,\"detachable\":false,"
                + "\"durable\":false,\"consistency\":\"best_effort\",\"spansProcesses\":false}");
  }
}
