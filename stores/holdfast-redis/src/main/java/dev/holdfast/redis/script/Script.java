package dev.holdfast.redis.script;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A Lua script and the digest by which the server knows it.
 *
 * @param operation what it does, as messages name it: "renewal"
 * @param text what is sent when the server does not know it
 * @param digest what is sent otherwise
 * @param repeatable whether running it twice is as good as once: only such a script may be sent
 *     again when a connection breaks before the answer
 */
public record Script(String operation, String text, String digest, boolean repeatable) {

  public static final Script JOIN =
      of("join", true, "start", "stamp", "alone-join", "pair-join", "records", "queue", "join");
  public static final Script REFRESH =
      of("renewal", true, "start", "stamp", "alone-refresh", "records", "queue", "refresh");
  // The second run would find nothing, and a release would look like a loss.
  public static final Script LEAVE =
      of(
          "release",
          false,
          "start",
          "alone-leave",
          "stamp",
          "pair-leave",
          "records",
          "queue",
          "leave");
  // The second run would end the claims that the first one has granted.
  public static final Script EVICT = of("eviction", false, "start", "records", "queue", "evict");
  // The second run would find nothing to remove.
  public static final Script DISCARD = of("removal", false, "discard");
  public static final Script INSPECT =
      of("inspection", true, "start", "records", "queue", "inspect");

  private static final String ROOT = "/dev/holdfast/redis/";

  /** {@return whether its answer may be a grant or a renewal} */
  public boolean grants() {
    return equals(JOIN) || equals(REFRESH);
  }

  /** Assembled from these files of this package, in this order. */
  static Script of(String operation, boolean repeatable, String... files) {
    return in("script", operation, repeatable, files);
  }

  /** Assembled from these files of a package, in this order. */
  public static Script in(String part, String operation, boolean repeatable, String... files) {
    StringBuilder text = new StringBuilder();
    for (String file : files) {
      text.append(read(part + "/" + file + ".lua")).append('\n');
    }
    return ofText(operation, repeatable, RecordLayout.fillIn(text.toString()));
  }

  public static Script ofText(String operation, boolean repeatable, String text) {
    return new Script(operation, text, sha1(text), repeatable);
  }

  /**
   * @param file its path within the resources of this store
   */
  public static String read(String file) {
    try (InputStream in = Script.class.getResourceAsStream(ROOT + file)) {
      if (in == null) {
        throw new IllegalStateException("the script " + file + " is missing from the jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("the script " + file + " cannot be read", e);
    }
  }

  public static String sha1(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-1", e);
    }
  }
}
