package dev.holdfast.zookeeper;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * The paths of nodes: {@code /holdfast/locks/<bucket>/<lock>/<claim>} and {@code
 * /holdfast/clients/<session>}.
 *
 * <p>Locks are spread over buckets because ZooKeeper returns all children of a node in one reply
 * and drops the connection if that exceeds a megabyte.
 */
final class NodePaths {

  static final String ROOT = "/holdfast";
  static final String LOCKS = ROOT + "/locks";
  static final String CLIENTS = ROOT + "/clients";
  static final int BUCKETS = 64;

  /** The number of first digits in the names of buckets. */
  static final int DIGITS = 4;

  private static final Pattern CLAIM =
      Pattern.compile(LOCKS + "/[0-9a-f]{2}/[^/]+/[0-9a-f]+-[^-/]+-[^/]+");

  private static final List<String> BUCKET =
      IntStream.range(0, BUCKETS).mapToObj(i -> String.format("%s/%02x", LOCKS, i)).toList();

  private NodePaths() {}

  /** {@return the path of a lock's container node} */
  static String container(String lock) {
    return BUCKET.get(Math.floorMod(lock.hashCode(), BUCKETS)) + "/" + encode(lock);
  }

  static List<String> buckets() {
    return BUCKET;
  }

  /** {@return path prefixes that cover all buckets, one per first digit} */
  static List<String> bucketsByDigit() {
    return IntStream.range(0, DIGITS).mapToObj(i -> LOCKS + "/" + i).toList();
  }

  /** {@return the path of a client's own node} */
  static String client(long session) {
    return CLIENTS + "/" + Long.toHexString(session);
  }

  /** {@return the lock that a claim's path belongs to} */
  static String lockOf(String claimPath) {
    return lockOfContainer(claimPath.substring(0, claimPath.lastIndexOf('/')));
  }

  static String lockOfContainer(String path) {
    return decode(name(path));
  }

  /** {@return the last element of a path} */
  static String name(String path) {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  /** {@return true for the path of a claim; a session may have other nodes} */
  static boolean isClaim(String path) {
    return CLAIM.matcher(path).matches();
  }

  /** {@return true for the path of a lock's container, false for that of a claim} */
  static boolean isContainer(String path) {
    return path.indexOf('/', BUCKET.get(0).length() + 1) < 0;
  }

  /**
   * @return the text as one path element without a hyphen; different texts give different elements
   */
  static String encode(String text) {
    if (isPlain(text)) {
      return text; // as the ids of claims are: the encoder is slow
    }
    String encoded = URLEncoder.encode(text, StandardCharsets.UTF_8).replace("-", "%2D");
    // "." and ".." have another meaning in a path.
    return encoded.equals(".") || encoded.equals("..") ? encoded.replace(".", "%2E") : encoded;
  }

  static String decode(String element) {
    return URLDecoder.decode(element, StandardCharsets.UTF_8);
  }

  private static boolean isPlain(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (!(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z')) {
        return false;
      }
    }
    return true;
  }
}
