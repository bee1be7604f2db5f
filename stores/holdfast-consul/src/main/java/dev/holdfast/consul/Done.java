package dev.holdfast.consul;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What became of a transaction.
 *
 * @param found what its reads found, in their order, after its writes
 * @param errors the operations that failed, by their number; empty if it took effect
 * @param repeated whether it was sent before without an answer, and may have taken effect then
 */
record Done(List<Stored> found, Map<Integer, String> errors, boolean repeated) {

  /**
   * What Consul has answered.
   *
   * @param sent the transaction as it was sent. Of what was checked or written, the answer has the
   *     key without the value, which looks like a read of a key whose value somebody emptied; to
   *     overlook that one would make a lock free that is held
   */
  static Done of(String sent, JsonObject answer, boolean repeated) {
    List<Stored> found = new ArrayList<>();
    List<Stored> withoutValue = new ArrayList<>();
    for (JsonElement result : elements(answer, "Results")) {
      JsonObject stored = result.getAsJsonObject().getAsJsonObject("KV");
      if (stored != null) {
        (stored.get("Value").isJsonNull() ? withoutValue : found).add(Stored.of(stored));
      }
    }
    if (!withoutValue.isEmpty()) {
      List<String> notRead = Txn.notRead(sent);
      withoutValue.removeIf(stored -> notRead.remove(stored.key()));
      found.addAll(withoutValue);
    }
    Map<Integer, String> errors = new HashMap<>();
    for (JsonElement error : elements(answer, "Errors")) {
      JsonObject fields = error.getAsJsonObject();
      errors.merge(fields.get("OpIndex").getAsInt(), fields.get("What").getAsString(), (a, b) -> a);
    }
    return new Done(found, errors, repeated);
  }

  boolean tookEffect() {
    return errors.isEmpty();
  }

  boolean failedAt(int operation) {
    return errors.containsKey(operation);
  }

  /** Whether a session was named that has ended. */
  boolean sessionEnded() {
    return errors.values().stream().anyMatch(what -> what.contains("invalid session"));
  }

  /** What Consul says if the account may not do it. */
  Optional<String> denial() {
    return errors.values().stream().filter(what -> what.contains("Permission denied")).findFirst();
  }

  private static Iterable<JsonElement> elements(JsonObject answer, String name) {
    JsonElement elements = answer.get(name);
    return elements == null || elements.isJsonNull() ? List.of() : elements.getAsJsonArray();
  }
}
