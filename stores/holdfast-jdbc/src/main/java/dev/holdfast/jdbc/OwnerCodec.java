package dev.holdfast.jdbc;

import dev.holdfast.Owner;
import java.util.concurrent.ConcurrentHashMap;

/** Encodes owners; the same few come again and again. Safe for any threads. */
final class OwnerCodec {

  private static final int LIMIT = 512;

  private final ConcurrentHashMap<Owner, String> encoded = new ConcurrentHashMap<>();

  String encode(Owner owner) {
    String known = encoded.get(owner);
    if (known != null) {
      return known;
    }
    if (encoded.size() >= LIMIT) {
      encoded.clear();
    }
    String text = owner.encode();
    encoded.put(owner, text);
    return text;
  }
}
