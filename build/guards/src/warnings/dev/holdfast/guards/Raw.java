package dev.holdfast.guards;

import java.util.List;

/** Uses a raw type, which javac only warns about. */
final class Raw {
  private Raw() {}

  static int size(List claims) {
    return claims.size();
  }
}
