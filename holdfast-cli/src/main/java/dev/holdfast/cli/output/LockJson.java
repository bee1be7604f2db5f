package dev.holdfast.cli.output;

import dev.holdfast.ClaimInfo;
import dev.holdfast.LockInfo;
import dev.holdfast.Owner;
import dev.holdfast.Traits;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The shapes of {@code --json}. Fields may be added, but are never removed.
 *
 * <pre>{@code
 * lock:   {"name": "invoice/42", "kind": "mutex", "capacity": 1, "holders": [claim…], "waiters": [claim…]}
 * claim:  {"owner": owner, "mode": "exclusive", "weight": 1, "token": "1794770057859897" or null,
 *          "ageMillis": 31000, "remainingMillis": 28000, "value": "…" or null}
 * owner:  {"host": "web-3", "pid": 4121, "thread": "main", "client": "…", "label": "report.sh"}
 * traits: {"fair": true, "pushes": false, "minTtlMillis": 10, "maxTtlMillis": 86400000,
 *          "ttlResolutionMillis": 1, "expiryLagMillis": 0, "kinds": ["mutex"…], "lingers": true,
 *          "detachable": true, "durable": true, "consistency": "best_effort", "spansProcesses": true}
 * }</pre>
 */
public final class LockJson {

  private LockJson() {}

  public static Map<String, @Nullable Object> lock(LockInfo lock) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("name", lock.name());
    json.put("kind", word(lock.kind()));
    json.put("capacity", lock.capacity());
    json.put("holders", claims(lock.holders()));
    json.put("waiters", claims(lock.waiters()));
    return json;
  }

  public static List<Object> claims(List<ClaimInfo> claims) {
    List<Object> json = new ArrayList<>();
    for (ClaimInfo claim : claims) {
      json.add(claim(claim));
    }
    return json;
  }

  public static Map<String, @Nullable Object> traits(Traits traits) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("fair", traits.fair());
    json.put("pushes", traits.pushes());
    json.put("minTtlMillis", traits.minTtl().toMillis());
    json.put("maxTtlMillis", traits.maxTtl().toMillis());
    json.put("ttlResolutionMillis", traits.ttlResolution().toMillis());
    json.put("expiryLagMillis", traits.expiryLag().toMillis());
    List<Object> kinds = new ArrayList<>();
    for (Enum<?> kind : traits.kinds().stream().sorted().toList()) {
      kinds.add(word(kind));
    }
    json.put("kinds", kinds);
    json.put("lingers", traits.lingers());
    json.put("detachable", traits.detachable());
    json.put("durable", traits.durable());
    json.put("consistency", word(traits.consistency()));
    json.put("spansProcesses", traits.spansProcesses());
    return json;
  }

  public static Map<String, @Nullable Object> claim(ClaimInfo claim) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("owner", owner(claim.owner()));
    json.put("mode", word(claim.mode()));
    json.put("weight", claim.weight());
    json.put("token", claim.token() == 0 ? null : Long.toString(claim.token()));
    json.put("ageMillis", claim.age().toMillis());
    json.put("remainingMillis", claim.remaining().toMillis());
    json.put("keepable", claim.keepable());
    json.put("value", claim.value());
    return json;
  }

  private static Map<String, @Nullable Object> owner(Owner owner) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("host", owner.host());
    json.put("pid", owner.pid());
    json.put("thread", owner.thread());
    json.put("client", owner.client());
    json.put("label", owner.label());
    return json;
  }

  private static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
