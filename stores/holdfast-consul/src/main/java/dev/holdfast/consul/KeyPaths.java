package dev.holdfast.consul;

import dev.holdfast.leased.ClaimRecord.StoredKey;
import dev.holdfast.spi.Claim;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/*
 * Consul hides keys from an account that may not read them. Taken at its word, that would tell a
 * holder that its lock is lost because somebody has changed a policy. So every read also checks
 * that a key which is never written is absent: that needs write access, and Consul says if it is
 * missing.
 */

/**
 * Where things are stored. A claim is at {@code prefix name@id}, with the name percent-encoded so
 * that it contains no {@code @}; everything else is at {@code prefix @…}, where no name can lead.
 *
 * <p>Consul's HTTP interface normalizes paths as if they named files, so a slash or a dot right
 * after a slash is encoded, too.
 */
record KeyPaths(String prefix) {

  static final int MAX_READS = Transaction.MAX_OPERATIONS - 1;

  private static final String PLAIN =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_:";
  private static final char END = '@';

  String claim(Claim claim) {
    return queue(claim.lock()) + claim.id();
  }

  /**
   * @return what the keys of all claims to a lock start with
   */
  String queue(String lock) {
    return startingWith(lock) + END;
  }

  /**
   * @return what the keys of all claims to locks with this name prefix start with
   */
  String startingWith(String names) {
    StringBuilder encoded = new StringBuilder(prefix);
    char before = '/';
    for (byte one : names.getBytes(StandardCharsets.UTF_8)) {
      char c = (char) (one & 0xff);
      if (PLAIN.indexOf(c) >= 0 || ((c == '/' || c == '.') && before != '/')) {
        encoded.append(c);
      } else {
        encoded.append(String.format("%%%02X", (int) c));
      }
      before = c;
    }
    return encoded.toString();
  }

  /**
   * @return the key that refuses a late join of the claim
   */
  String tombstone(Claim claim) {
    return prefix + END + "left/" + claim.id();
  }

  /**
   * @return the key that all joins on a session depend on
   */
  String gate(String session) {
    return prefix + END + "gate/" + session;
  }

  /**
   * @return a transaction for up to {@link #MAX_READS} reads
   */
  Transaction reading() {
    return new Transaction().checkAbsent(prefix + END + "never"); // see the comment above
  }

  boolean isClaim(String key) {
    return key.indexOf(END, prefix.length()) > prefix.length();
  }

  /**
   * @return the lock that a claim's key belongs to
   */
  String lock(String key) {
    return URLDecoder.decode(
        key.substring(prefix.length(), key.indexOf(END, prefix.length())), StandardCharsets.UTF_8);
  }

  /**
   * @return the keys of claims by lock; each once, though it may have been read twice
   */
  Map<String, List<StoredKey>> byLock(Collection<StoredKey> claims) {
    return claims.stream().distinct().collect(Collectors.groupingBy(claim -> lock(claim.key())));
  }

  /**
   * @return the key in the path of a URL
   */
  static String path(String key) {
    return "/v1/kv/" + key.replace("%", "%25");
  }
}
