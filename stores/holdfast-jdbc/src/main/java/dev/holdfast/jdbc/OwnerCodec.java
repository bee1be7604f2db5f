package dev.holdfast.jdbc;

import dev.holdfast.Owner;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What a client writes of itself into its claims: their owners, of which the same few come again
 * and again, and where it wants to be told that a claim was let in. Safe for any threads.
 */
final class OwnerCodec {

  private static final int LIMIT = 512;

  private final ConcurrentHashMap<Owner, String> encoded = new ConcurrentHashMap<>();
  private final @Nullable String channel;

  /** For a client that polls. */
  OwnerCodec() {
    this(null);
  }

  /** For a client that listens on this channel. */
  OwnerCodec(@Nullable String channel) {
    this.channel = channel;
  }

  /** Where this client listens; null if it does not. */
  @Nullable String channel() {
    return channel;
  }

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
