package dev.holdfast.jdbc.sql;

import dev.holdfast.Owner;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * How a client identifies itself in its claims: their owners, of which the same few recur, and the
 * channel on which it listens for grants. Thread-safe.
 */
public final class OwnerCodec {

  private static final int LIMIT = 512;

  private final ConcurrentHashMap<Owner, String> encoded = new ConcurrentHashMap<>();
  private final @Nullable String channel;

  /** For a client that polls. */
  public OwnerCodec() {
    this(null);
  }

  /** For a client that listens on this channel. */
  public OwnerCodec(@Nullable String channel) {
    this.channel = channel;
  }

  /** Where this client listens; null if it does not. */
  public @Nullable String channel() {
    return channel;
  }

  public String encode(Owner owner) {
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

  /** Returns the owner that a text describes, or null if it describes none. */
  public static @Nullable Owner decode(String text) {
    try {
      return Owner.parse(text);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }
}
