package dev.holdfast;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A secret that senders and workers share, with which proofs are signed (HMAC-SHA-256): a proof
 * that a worker accepts was made by a sender with the key, and not altered.
 *
 * <p>To change a key, give workers the old and the new one, then senders the new one, then take the
 * old one away from the workers. The id says which of several keys a proof was signed with.
 *
 * <p>As text, in a file or a variable, keys are lines of {@code id:secret}, the secret in Base64;
 * {@code #} begins a comment. The first one signs.
 *
 * <p><b>Does not promise</b> that the sender is the holder: everybody who has the key can sign. Ask
 * the store too, as {@link RequestGuard} does.
 *
 * <p>Thread-safe.
 */
public final class ProofKey {

  /** How long a secret is at least, in bytes. */
  public static final int LEAST_BYTES = 32;

  private static final String ALGORITHM = "HmacSHA256";
  private static final int LONGEST_FILE = 64 * 1024;
  private static final Pattern ID = Pattern.compile("[A-Za-z0-9_-]{1,32}");
  private static final Set<PosixFilePermission> OWNERS =
      Set.of(
          PosixFilePermission.OWNER_READ,
          PosixFilePermission.OWNER_WRITE,
          PosixFilePermission.OWNER_EXECUTE);

  private final String id;
  private final SecretKeySpec secret;

  private ProofKey(String id, byte[] secret) {
    this.id = id;
    this.secret = new SecretKeySpec(secret, ALGORITHM);
  }

  /**
   * A key of these bytes.
   *
   * @param id 1 to 32 letters, digits, {@code _} and {@code -}; no secret
   * @throws IllegalArgumentException if the id is none, or the secret is too short
   */
  public static ProofKey of(String id, byte[] secret) {
    if (!ID.matcher(id).matches()) {
      throw new IllegalArgumentException(
          "the id of a key has 1 to 32 letters, digits, '_' and '-'; this one does not");
    }
    if (secret.length < LEAST_BYTES) {
      throw new IllegalArgumentException(
          "the key '%s' has %d bytes; it must have at least %d"
              .formatted(id, secret.length, LEAST_BYTES));
    }
    return new ProofKey(id, secret);
  }

  /**
   * The keys in a file that nobody but its owner can read or write.
   *
   * @throws IllegalArgumentException if others can, if it cannot be read, or has no keys
   */
  public static List<ProofKey> readFile(Path file) {
    String place = "the key file " + file;
    try (InputStream in = Files.newInputStream(file)) {
      refuseOthers(file, place);
      byte[] bytes = in.readNBytes(LONGEST_FILE + 1);
      if (bytes.length > LONGEST_FILE) {
        throw new IllegalArgumentException(place + " is too long; is it the right one?");
      }
      return parse(place, new String(bytes, StandardCharsets.US_ASCII));
    } catch (IOException e) {
      throw new IllegalArgumentException("cannot read " + place + ": " + e, e);
    }
  }

  /**
   * The keys in an environment variable.
   *
   * @throws IllegalArgumentException if it is not set, or has no keys
   */
  public static List<ProofKey> readEnvironment(String variable) {
    String text = System.getenv(variable);
    if (text == null) {
      throw new IllegalArgumentException("the variable " + variable + " is not set");
    }
    return parse("the variable " + variable, text);
  }

  /** Which key it is; no secret. */
  public String id() {
    return id;
  }

  String sign(String text) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(mac(text));
  }

  /** Takes as long for a signature that is nearly right as for any other. */
  boolean isOf(String signature, String text) {
    return MessageDigest.isEqual(
        sign(text).getBytes(StandardCharsets.US_ASCII),
        signature.getBytes(StandardCharsets.US_ASCII));
  }

  private byte[] mac(String text) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(secret);
      return mac.doFinal(text.getBytes(StandardCharsets.US_ASCII));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
    }
  }

  private static void refuseOthers(Path file, String place) throws IOException {
    try {
      if (!OWNERS.containsAll(Files.getPosixFilePermissions(file))) {
        throw new IllegalArgumentException(
            place + " can be read or written by others; say: chmod 600 " + file);
      }
    } catch (UnsupportedOperationException notPosix) {
      // The system has other means to keep it, and we do not know them.
    }
  }

  // What is wrong is said without the text: it holds secrets.
  private static List<ProofKey> parse(String place, String text) {
    List<ProofKey> keys = new ArrayList<>();
    for (String line : text.lines().map(String::strip).toList()) {
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      String where = "key " + (keys.size() + 1) + " of " + place;
      int colon = line.indexOf(':');
      if (colon < 0) {
        throw new IllegalArgumentException(where + " is not of the form id:secret");
      }
      ProofKey key;
      try {
        key = of(line.substring(0, colon), Base64.getDecoder().decode(line.substring(colon + 1)));
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(
            where + " must have an id and at least 32 bytes in Base64 (id:secret)");
      }
      if (keys.stream().anyMatch(other -> other.id.equals(key.id))) {
        throw new IllegalArgumentException(where + " has the id of an earlier one");
      }
      keys.add(key);
    }
    if (keys.isEmpty()) {
      throw new IllegalArgumentException(place + " has no keys; expected lines of id:secret");
    }
    return List.copyOf(keys);
  }

  /** Without the secret. */
  @Override
  public String toString() {
    return "ProofKey[" + id + "]";
  }
}
