package dev.holdfast.redis;

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
 * @param text what is sent when the server does not know it
 * @param digest what is sent otherwise
 * @param repeatable whether running it twice is as good as once: only such a script may be sent
 *     again when a connection breaks before the answer
 */
record Script(String text, String digest, boolean repeatable) {

  static final Script JOIN =
      of(true, "start", "stamp", "alone-join", "pair-join", "records", "queue", "join");
  static final Script REFRESH =
      of(true, "start", "stamp", "alone-refresh", "records", "queue", "refresh");
  // The second run would find nothing, and a release would look like a loss.
  static final Script LEAVE =
      of(false, "start", "alone-leave", "stamp", "pair-leave", "records", "queue", "leave");
  // The second run would end the claims of those whom the first has let in.
  static final Script EVICT = of(false, "start", "records", "queue", "evict");
  // The second run would find nothing to remove.
  static final Script DISCARD = of(false, "discard");
  static final Script INSPECT = of(true, "start", "records", "queue", "inspect");

  /** Whether its answer may be a grant or a renewal. */
  boolean grants() {
    return equals(JOIN) || equals(REFRESH);
  }

  /** Put together from these files, in this order. */
  static Script of(boolean repeatable, String... parts) {
    StringBuilder text = new StringBuilder();
    for (String part : parts) {
      text.append(read(part + ".lua")).append('\n');
    }
    return ofText(text.toString(), repeatable);
  }

  static Script ofText(String text, boolean repeatable) {
    return new Script(text, sha1(text), repeatable);
  }

  static String read(String file) {
    try (InputStream in = Script.class.getResourceAsStream(file)) {
      if (in == null) {
        throw new IllegalStateException("the script " + file + " is missing from the jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("the script " + file + " cannot be read", e);
    }
  }

  static String sha1(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-1", e);
    }
  }
}
