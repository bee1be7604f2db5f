package dev.holdfast.consul;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import dev.holdfast.leased.ClaimRecord.StoredKey;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A transaction under construction: all of its operations take effect, or none. If it only reads,
 * the answer comes from a leader that has confirmed that it still leads.
 */
final class Transaction {

  /** How many operations Consul accepts in one transaction. */
  static final int MAX_OPERATIONS = 64;

  private static final String READ = "get-tree";

  private final List<String> operations = new ArrayList<>();
  private final List<String> keysNotRead = new ArrayList<>();

  int size() {
    return operations.size();
  }

  Transaction checkAbsent(String key) {
    return add("check-not-exists", key, "");
  }

  /** Requires that the key exists with this modify index. */
  Transaction checkIndex(String key, long modified) {
    return add("check-index", key, ",\"Index\":" + modified);
  }

  /** Requires that the key is as it was read. */
  Transaction checkUnchanged(StoredKey key) {
    return checkIndex(key.key(), key.modified());
  }

  /** Writes a key on a session; fails if the key is on another one, or the session has ended. */
  Transaction lock(String key, String session, String value) {
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    String encoded = Base64.getEncoder().encodeToString(bytes);
    return add("lock", key, ",\"Session\":\"" + session + "\",\"Value\":\"" + encoded + "\"");
  }

  Transaction unlock(String key, String session) {
    return add("unlock", key, ",\"Session\":\"" + session + "\"");
  }

  Transaction delete(String key) {
    return add("delete", key, "");
  }

  /** Reads all keys with this prefix; unlike the read of one key, does not fail if none exists. */
  Transaction read(String prefix) {
    return add(READ, prefix, "");
  }

  private Transaction add(String verb, String key, String fields) {
    if (!verb.equals(READ)) {
      keysNotRead.add(key);
    }
    operations.add(
        "{\"KV\":{\"Verb\":\"" + verb + "\",\"Key\":" + new JsonPrimitive(key) + fields + "}}");
    return this;
  }

  /**
   * @return the keys that appear in the answer although they were not read
   */
  List<String> keysNotRead() {
    return keysNotRead;
  }

  String json() {
    return "[" + String.join(",", operations) + "]";
  }

  /**
   * Consul's answer to a transaction.
   *
   * @param found what its reads found, in their order, after its writes
   * @param errors the operations that failed, by their number; empty if it took effect
   * @param repeated whether it was sent before without an answer, and may have taken effect then
   */
  record Result(List<StoredKey> found, Map<Integer, String> errors, boolean repeated) {

    // The answer names keys that were checked or written, too, without their values. So does it
    // name
    // a key that was read and has an empty value; overlooking that key would make a held lock free.
    static Result of(Transaction sent, String body, boolean repeated) {
      JsonObject answer = JsonParser.parseString(body).getAsJsonObject();
      List<StoredKey> found = new ArrayList<>();
      List<String> keysNotRead = new ArrayList<>(sent.keysNotRead());
      if (answer.get("Results") != null && answer.get("Results").isJsonArray()) {
        for (JsonElement result : answer.getAsJsonArray("Results")) {
          JsonObject key = result.getAsJsonObject().getAsJsonObject("KV");
          boolean valued = key != null && !key.get("Value").isJsonNull();
          if (valued || (key != null && !keysNotRead.remove(key.get("Key").getAsString()))) {
            found.add(stored(key));
          }
        }
      }
      Map<Integer, String> errors = new HashMap<>();
      if (answer.get("Errors") != null && answer.get("Errors").isJsonArray()) {
        for (JsonElement error : answer.getAsJsonArray("Errors")) {
          JsonObject fields = error.getAsJsonObject();
          errors.putIfAbsent(fields.get("OpIndex").getAsInt(), fields.get("What").getAsString());
        }
      }
      return new Result(found, errors, repeated);
    }

    /** The keys in the answer to a plain read. */
    static List<StoredKey> keys(String body) {
      List<StoredKey> keys = new ArrayList<>();
      for (JsonElement key : JsonParser.parseString(body).getAsJsonArray()) {
        keys.add(stored(key.getAsJsonObject()));
      }
      return keys;
    }

    private static StoredKey stored(JsonObject key) {
      JsonElement session = key.get("Session");
      JsonElement value = key.get("Value");
      return new StoredKey(
          key.get("Key").getAsString(),
          value.isJsonNull()
              ? ""
              : new String(Base64.getDecoder().decode(value.getAsString()), StandardCharsets.UTF_8),
          session == null ? "" : session.getAsString(),
          key.get("CreateIndex").getAsLong(),
          key.get("ModifyIndex").getAsLong());
    }

    boolean tookEffect() {
      return errors.isEmpty();
    }

    boolean failedAt(int operation) {
      return errors.containsKey(operation);
    }

    /**
     * @return whether the transaction named a session that has ended
     */
    boolean sessionEnded() {
      return failedWith("invalid session");
    }

    boolean failedWith(String words) {
      return errors.values().stream().anyMatch(what -> what.contains(words));
    }
  }
}
