package dev.holdfast.memcached;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/**
 * The key of a lock: the prefix and the name. A name that Memcached would not accept as a key (more
 * than 250 bytes, spaces, control characters, anything but ASCII) is replaced by a tilde and a
 * digest. A name that starts with a tilde is digested too, so no two names share a key.
 */
final class Keys {

  static final String DEFAULT_PREFIX = "holdfast:";
  static final int LONGEST_PREFIX = 100;

  private static final int LONGEST = 250;
  private static final String DIGESTED = "~";

  private final String prefix;

  Keys(String prefix) {
    if (!isPlain(prefix) || prefix.length() > LONGEST_PREFIX) {
      throw new IllegalArgumentException(
          "prefix '"
              + prefix
              + "' must have at most "
              + LONGEST_PREFIX
              + " characters, all of them visible ASCII");
    }
    this.prefix = prefix;
  }

  String of(String lock) {
    boolean accepted =
        isPlain(lock) && !lock.startsWith(DIGESTED) && prefix.length() + lock.length() <= LONGEST;
    return prefix + (accepted ? lock : DIGESTED + digest(lock));
  }

  private static boolean isPlain(String text) {
    return text.chars().allMatch(c -> c > ' ' && c < 127);
  }

  private static String digest(String lock) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(lock.getBytes(StandardCharsets.UTF_8));
      return Base64.getUrlEncoder().withoutPadding().encodeToString(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("SHA-256 is missing from this Java", e);
    }
  }
}
