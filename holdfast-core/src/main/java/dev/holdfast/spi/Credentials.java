package dev.holdfast.spi;

import org.jspecify.annotations.Nullable;

/**
 * The account to log in with; overrides the one in the store's URL. A store never puts the password
 * into a message, a log line or the arguments of a process.
 */
public final class Credentials {

  private static final Credentials NONE = new Credentials(null, null);

  private final @Nullable String user;
  private final @Nullable String password;

  /** Either may be missing: then the URL, or the store's default, counts. */
  public Credentials(@Nullable String user, @Nullable String password) {
    this.user = user;
    this.password = password;
  }

  /** Nothing beyond what the URL says. */
  public static Credentials none() {
    return NONE;
  }

  /** The account, or null. */
  public @Nullable String user() {
    return user;
  }

  /** The password, or null. It is a secret. */
  public @Nullable String password() {
    return password;
  }

  /** Without the password. */
  @Override
  public String toString() {
    return "Credentials[" + user + (password == null ? "]" : ", ***]");
  }
}
