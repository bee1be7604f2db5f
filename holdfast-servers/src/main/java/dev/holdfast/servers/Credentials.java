package dev.holdfast.servers;

import java.security.SecureRandom;

/** A user of a server. Made of lower-case letters, so it can stand in SQL and in a URL as it is. */
record Credentials(String user, String password) {

  private static final SecureRandom RANDOM = new SecureRandom();

  /** A new user. */
  static Credentials random() {
    return new Credentials("u" + letters(12), letters(24));
  }

  /** This user with a new random password. */
  static Credentials of(String user) {
    return new Credentials(user, letters(24));
  }

  static String letters(int count) {
    return RANDOM
        .ints(count, 'a', 'z' + 1)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }

  /** Never shows the password. */
  @Override
  public String toString() {
    return user;
  }
}
