package dev.holdfast.consul;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * A transaction in the making: all of its operations take effect, or none. One that only reads is
 * answered by a leader that has made sure it still leads.
 */
final class Txn {

  /** How many operations Consul takes. */
  static final int MOST = 64;

  private static final String READ = "get-tree";

  private final JsonArray operations = new JsonArray();

  int size() {
    return operations.size();
  }

  Txn checkAbsent(String key) {
    add("check-not-exists", key);
    return this;
  }

  /** The key is there and was not changed since. */
  Txn checkIndex(String key, long modified) {
    add("check-index", key).addProperty("Index", modified);
    return this;
  }

  /** The key is there as it was read. */
  Txn checkUnchanged(Entry entry) {
    return checkIndex(entry.key(), entry.stored().modified());
  }

  /** The key is there, on this session. */
  Txn checkSession(String key, String session) {
    add("check-session", key).addProperty("Session", session);
    return this;
  }

  /** Puts a key on a session; fails if it is on another one, or if that has ended. */
  Txn lock(String key, String session, String value) {
    JsonObject operation = add("lock", key);
    operation.addProperty("Session", session);
    operation.addProperty(
        "Value", Base64.getEncoder().encodeToString(value.getBytes(StandardCharsets.UTF_8)));
    return this;
  }

  Txn unlock(String key, String session) {
    add("unlock", key).addProperty("Session", session);
    return this;
  }

  Txn delete(String key) {
    add("delete", key);
    return this;
  }

  /** Reads all keys that start so. Unlike a read of one key, it does not fail if there is none. */
  Txn read(String start) {
    add(READ, start);
    return this;
  }

  /** The keys that a transaction tells of in its answer though it does not read them. */
  static List<String> notRead(String json) {
    List<String> keys = new ArrayList<>();
    for (JsonElement wrapped : JsonParser.parseString(json).getAsJsonArray()) {
      JsonObject operation = wrapped.getAsJsonObject().getAsJsonObject("KV");
      if (!operation.get("Verb").getAsString().equals(READ)) {
        keys.add(operation.get("Key").getAsString());
      }
    }
    return keys;
  }

  String json() {
    return operations.toString();
  }

  private JsonObject add(String verb, String key) {
    JsonObject operation = new JsonObject();
    operation.addProperty("Verb", verb);
    operation.addProperty("Key", key);
    JsonObject wrapped = new JsonObject();
    wrapped.add("KV", operation);
    operations.add(wrapped);
    return operation;
  }
}
