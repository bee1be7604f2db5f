package dev.holdfast.consul;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * A key as Consul keeps it.
 *
 * @param session the one it is on, or empty
 */
record Stored(String key, String value, String session, long created, long modified) {

  static Stored of(JsonObject json) {
    JsonElement session = json.get("Session");
    JsonElement value = json.get("Value");
    return new Stored(
        json.get("Key").getAsString(),
        value.isJsonNull()
            ? ""
            : new String(Base64.getDecoder().decode(value.getAsString()), StandardCharsets.UTF_8),
        session == null ? "" : session.getAsString(),
        json.get("CreateIndex").getAsLong(),
        json.get("ModifyIndex").getAsLong());
  }

  static List<Stored> listOf(JsonElement array) {
    List<Stored> list = new ArrayList<>();
    array.getAsJsonArray().forEach(one -> list.add(of(one.getAsJsonObject())));
    return list;
  }
}
