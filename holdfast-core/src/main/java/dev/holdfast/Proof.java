package dev.holdfast;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * What travels with a request to the worker that acts on it: enough to check the sender, never
 * enough to release the lock.
 *
 * <p>Its text form, {@link #toString}, is one plain word for a header, a column, a message or an
 * environment variable; {@link #parse} reads it back. It holds no secret, and proves nothing by
 * itself: anyone who knows a lock's name can make one up, unless the receiver requires a
 * {@linkplain #sign signature}.
 *
 * @param lock the lock's name
 * @param token the fencing token of the lease
 * @param mode how the holder excludes others
 * @param owner who held the lease
 * @param signature the id of a key, a dot and what was signed with it; empty if it is not signed
 */
public record Proof(String lock, long token, Mode mode, Owner owner, String signature) {

  /** The greatest token; sums of a few tokens do not overflow. */
  public static final long MAX_TOKEN = 1L << 61;

  private static final String FORMAT = "hp1";
  private static final String SIGNED_FORMAT = "hp2";
  private static final Pattern SIGNATURE =
      Pattern.compile("|[A-Za-z0-9_-]{1,32}\\.[A-Za-z0-9_-]{43}");
  private static final Pattern SEPARATOR = Pattern.compile("\\.");

  /** Rejects an invalid token and what cannot be a signature. */
  public Proof {
    checkToken(token);
    if (!SIGNATURE.matcher(signature).matches()) {
      throw new IllegalArgumentException("not a signature of a proof");
    }
  }

  /**
   * @return the token
   * @throws IllegalArgumentException if there is no such token
   */
  public static long checkToken(long token) {
    if (token < 1 || token > MAX_TOKEN) {
      throw new IllegalArgumentException(
          "token (" + token + ") must be between 1 and " + MAX_TOKEN);
    }
    return token;
  }

  /** A proof that is not signed. */
  public Proof(String lock, long token, Mode mode, Owner owner) {
    this(lock, token, mode, owner, "");
  }

  /** The same proof, signed with this key. */
  public Proof sign(ProofKey key) {
    String text = text(SIGNED_FORMAT) + "." + key.id();
    return new Proof(lock, token, mode, owner, key.id() + "." + key.sign(text));
  }

  /**
   * @return whether it was signed with one of these keys, and is as it was then
   */
  public boolean isSignedBy(Collection<ProofKey> keys) {
    int dot = signature.indexOf('.');
    if (dot < 0) {
      return false;
    }
    String id = signature.substring(0, dot);
    String text = text(SIGNED_FORMAT) + "." + id;
    return keys.stream()
        .anyMatch(key -> key.id().equals(id) && key.isOf(signature.substring(dot + 1), text));
  }

  /** The text form: letters, digits and {@code . _ + % -} only. */
  @Override
  public String toString() {
    return signature.isEmpty() ? text(FORMAT) : text(SIGNED_FORMAT) + "." + signature;
  }

  private String text(String format) {
    return String.join(
        ".",
        format,
        escape(lock),
        Long.toString(token),
        mode.name().toLowerCase(Locale.ROOT),
        escape(owner.encode()));
  }

  /**
   * Reads the text form.
   *
   * @throws IllegalArgumentException if {@link #toString} cannot have written the text
   */
  public static Proof parse(String text) {
    String[] parts = SEPARATOR.split(text, -1);
    boolean signed = parts.length == 7 && parts[0].equals(SIGNED_FORMAT);
    if (!signed && (parts.length != 5 || !parts[0].equals(FORMAT))) {
      // Without the text: somebody may have taken a handle, which is secret, for a proof.
      throw new IllegalArgumentException(
          "not a proof; expected the text form that Proof.toString writes");
    }
    String signature = signed ? parts[5] + "." + parts[6] : "";
    if (!SIGNATURE.matcher(signature).matches()) {
      throw new IllegalArgumentException("damaged proof: its signature cannot be read");
    }
    Proof proof =
        new Proof(
            read("lock", () -> LockName.check(unescape(parts[1]))),
            read("token", () -> checkToken(Long.parseLong(parts[2]))),
            read("mode", () -> Mode.valueOf(parts[3].toUpperCase(Locale.ROOT))),
            read("owner", () -> Owner.parse(unescape(parts[4]))),
            signature);
    // One text for each proof: a second spelling would be a second entry wherever it is a key.
    if (!proof.toString().equals(text)) {
      throw new IllegalArgumentException(
          "damaged proof: its parts are not written as they must be");
    }
    return proof;
  }

  /** Without the cause, which repeats the text: it may be long, and come from anybody. */
  private static <T> T read(String part, Supplier<T> reading) {
    try {
      return reading.get();
    } catch (IllegalArgumentException damaged) {
      throw new IllegalArgumentException("damaged proof: its " + part + " cannot be read");
    }
  }

  // URL encoding leaves dots alone, which are our separator, and stars, which a shell expands.
  private static String escape(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace(".", "%2E").replace("*", "%2A");
  }

  private static String unescape(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }
}
