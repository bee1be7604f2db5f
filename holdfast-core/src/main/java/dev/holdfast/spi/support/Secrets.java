package dev.holdfast.spi.support;

import dev.holdfast.spi.Credentials;
import dev.holdfast.spi.LockStore;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The secrets of one store, and how to keep them out of what people see: drivers and client
 * libraries put what they were given into their messages. A secret is found as it is,
 * percent-encoded or decoded, and so are its pieces between the separators of URLs, because a
 * message about a malformed URL may quote one of them. Secrets and pieces of one or two characters
 * are in every other word, and are not looked for.
 *
 * <p>Beside what is known, everything that looks like a password in a URL is hidden.
 *
 * <p>Immutable.
 */
public final class Secrets {

  private static final int SHORTEST = 3;
  private static final Pattern SEPARATORS = Pattern.compile("[:/@?#&;,=()\\[\\]\\\\%\\s]+");

  private static final Secrets UNKNOWN = new Secrets(Set.of());

  private final List<String> decoded;

  private Secrets(Set<String> decoded) {
    List<String> longestFirst = new ArrayList<>(decoded);
    longestFirst.sort(Comparator.comparingInt(String::length).reversed());
    this.decoded = List.copyOf(longestFirst);
  }

  /** None that is known: only what looks like a password is hidden. */
  public static Secrets unknown() {
    return UNKNOWN;
  }

  /** Those of a store: in its URL, and given beside it. */
  public static Secrets of(String url, Credentials credentials) {
    Set<String> decoded = new LinkedHashSet<>();
    Redaction.ofUrl(url).known().forEach(secret -> add(decoded, secret));
    String password = credentials.password();
    if (password != null) {
      add(decoded, password);
    }
    return new Secrets(decoded);
  }

  private static void add(Set<String> all, String secret) {
    String decoded = Decoded.of(secret).text();
    addLong(all, decoded);
    SEPARATORS.splitAsStream(decoded).forEach(piece -> addLong(all, piece));
  }

  private static void addLong(Set<String> all, String secret) {
    if (secret.strip().length() >= SHORTEST) {
      all.add(secret);
    }
  }

  /** The text with {@code ***} in place of each secret. */
  public String hide(String text) {
    return Redaction.ofText(text, decoded).text();
  }

  /** The failure itself if neither it nor what it carries shows a secret, else a copy without. */
  public Throwable hide(Throwable failure) {
    return CleanFailure.of(failure, this::hide);
  }

  /** As {@link #hide(Throwable)}: the copy can be thrown where the failure could. */
  public RuntimeException hide(RuntimeException failure) {
    return (RuntimeException) hide((Throwable) failure);
  }

  /**
   * The store, with what it reports of failures free of secrets: messages of failed operations,
   * causes included, and findings.
   */
  public LockStore guard(LockStore store) {
    return decoded.isEmpty() ? store : new GuardedStore(store, this);
  }

  /** Without the secrets. */
  @Override
  public String toString() {
    return "Secrets[" + decoded.size() + "]";
  }
}
