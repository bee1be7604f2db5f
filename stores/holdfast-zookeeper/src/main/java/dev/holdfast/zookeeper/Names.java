package dev.holdfast.zookeeper;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Where things are: {@code /holdfast/locks/<bucket>/<lock>/<claim>} and {@code
 * /holdfast/clients/<session>}.
 *
 * <p>Locks are spread over buckets because ZooKeeper answers with all children of a node at once,
 * and cuts the connection when that is more than a megabyte.
 */
final class Names {

  static final String ROOT = "/holdfast";
  static final String LOCKS = ROOT + "/locks";
  static final String CLIENTS = ROOT + "/clients";
  static final int BUCKETS = 64;

  /** With how many digits the names of buckets begin. */
  static final int DIGITS = 4;

  private static final Pattern CLAIM =
      Pattern.compile(LOCKS + "/[0-9a-f]{2}/[^/]+/[0-9a-f]+-[^-/]+-[^/]+");

  private static final List<String> BUCKET =
      IntStream.range(0, BUCKETS).mapToObj(i -> String.format("%s/%02x", LOCKS, i)).toList();

  private Names() {}

  /** The node of a lock. */
  static String container(String lock) {
    return bucket(Math.floorMod(lock.hashCode(), BUCKETS)) + "/" + encode(lock);
  }

  static String bucket(int number) {
    return BUCKET.get(number);
  }

  static List<String> buckets() {
    return BUCKET;
  }

  /** How the paths of all buckets start, up to the first digit. */
  static List<String> bucketsByDigit() {
    return IntStream.range(0, DIGITS).mapToObj(i -> LOCKS + "/" + i).toList();
  }

  /** The node of a client. */
  static String client(long session) {
    return CLIENTS + "/" + Long.toHexString(session);
  }

  /** The lock that a claim's path belongs to. */
  static String lockOf(String claimPath) {
    int end = claimPath.lastIndexOf('/');
    return decode(claimPath.substring(claimPath.lastIndexOf('/', end - 1) + 1, end));
  }

  /** The lock that a container is. */
  static String lockOfContainer(String path) {
    return decode(path.substring(path.lastIndexOf('/') + 1));
  }

  /** Whether this is the path of a claim, and not of anything else that a session may have. */
  static boolean isClaim(String path) {
    return CLAIM.matcher(path).matches();
  }

  /** Whether this is the path of a lock, and not of a claim. */
  static boolean isContainer(String path) {
    return path.indexOf('/', bucket(0).length() + 1) < 0;
  }

  /** Text as one element of a path, without a hyphen; no two texts give the same. */
  static String encode(String text) {
    if (isPlain(text)) {
      return text; // as the ids of claims are: the encoder takes its time
    }
    String encoded = URLEncoder.encode(text, StandardCharsets.UTF_8).replace("-", "%2D");
    // These two mean something else in a path.
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
