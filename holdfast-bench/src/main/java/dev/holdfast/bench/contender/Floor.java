package dev.holdfast.bench.contender;

import java.util.Set;

/**
 * The least requests that give exclusion, an owner check and a rising token on a server, written by
 * hand with the same client library and as many connections as Holdfast. Does not wait.
 */
public final class Floor {

  /** What the report calls it, on every server. */
  public static final String LABEL = "floor";

  private static final Set<Feature> FEATURES = Set.of(Feature.OWNER_CHECK, Feature.TOKEN);

  private Floor() {}

  /** The floor of a server. */
  public static Contender of(Contender.Opening opening) {
    return new Contender(LABEL, Contender.Role.FLOOR, FEATURES, opening);
  }

  /**
   * The floor of a server for clients that must hand work to another thread.
   *
   * @param how as the report calls it
   */
  public static Contender limit(String how, Contender.Opening opening) {
    return new Contender(LABEL + ", " + how, Contender.Role.LIMIT, FEATURES, opening);
  }

  /**
   * A lock that was taken.
   *
   * @param token 0 if it was not
   */
  public static Mutex.Hold held(long token, Granted.Release release) {
    if (token == 0) {
      throw new IllegalStateException("the floor does not wait");
    }
    return new Granted(token, release);
  }
}
