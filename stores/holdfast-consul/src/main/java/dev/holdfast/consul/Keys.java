package dev.holdfast.consul;

import dev.holdfast.spi.Claim;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;

/*
 * To an account that may not read a key, Consul says that it is not there. Who believed that would
 * tell a holder that its lock is lost because somebody has changed a policy. So what reads also
 * looks for a key that never is: that takes the right to write, and Consul says so if it is lacking.
 */

/**
 * Where things are kept. A claim is at {@code prefix name@id}, with the name percent-encoded so
 * that it holds no {@code @}; everything else is at {@code prefix @…}, where no name can lead.
 *
 * <p>Consul cleans the paths of its HTTP interface as if they were files, so that a slash or a dot
 * right after a slash is encoded, too.
 */
record Keys(String prefix) {

  static final int MOST_READS = Txn.MOST - 1;

  private static final String PLAIN = "-_:";
  private static final char END = '@';

  String claim(Claim claim) {
    return queue(claim.lock()) + claim.id();
  }

  /** What the keys of all claims to a lock start with. */
  String queue(String lock) {
    return startingLike(lock) + END;
  }

  /** What the keys of all claims start with whose locks start so. */
  String startingLike(String names) {
    return prefix + encode(names);
  }

  /** Keeps a late join out. */
  String tombstone(Claim claim) {
    return prefix + END + "left/" + claim.id();
  }

  /** What all joins on a session are conditional on. */
  String gate(String session) {
    return prefix + END + "gate/" + session;
  }

  /** A transaction that reads; it can hold {@link #MOST_READS} reads. */
  Txn reading() {
    return new Txn().checkAbsent(prefix + END + "never"); // see the comment above
  }

  boolean isClaim(String key) {
    return key.indexOf(END, prefix.length()) > prefix.length();
  }

  /** The lock that a claim's key belongs to. */
  String lock(String key) {
    return URLDecoder.decode(
        key.substring(prefix.length(), key.indexOf(END, prefix.length())), StandardCharsets.UTF_8);
  }

  /** The key in the path of a URL. */
  static String path(String key) {
    return "/v1/kv/" + key.replace("%", "%25");
  }

  private static String encode(String name) {
    StringBuilder encoded = new StringBuilder();
    char before = '/';
    for (byte one : name.getBytes(StandardCharsets.UTF_8)) {
      char c = (char) (one & 0xff);
      if (isPlain(c) || ((c == '/' || c == '.') && before != '/')) {
        encoded.append(c);
      } else {
        encoded.append(String.format("%%%02X", (int) c));
      }
      before = c;
    }
    return encoded.toString();
  }

  private static boolean isPlain(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || PLAIN.indexOf(c) >= 0;
  }
}
