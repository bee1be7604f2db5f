package dev.holdfast.bench.contender;

import java.util.Set;

/** The least requests that give exclusion, an owner check and a rising token on a server. */
public abstract class Floor implements Contender {

  /** What the report calls it, on every server. */
  public static final String LABEL = "floor";

  @Override
  public final String label() {
    return LABEL;
  }

  @Override
  public final Role role() {
    return Role.FLOOR;
  }

  @Override
  public final Set<Feature> features() {
    return Set.of(Feature.OWNER_CHECK, Feature.TOKEN);
  }

  /**
   * A lock that was taken.
   *
   * @param token 0 if it was not
   */
  protected static Mutex.Hold held(long token, Release release) {
    if (token == 0) {
      throw new IllegalStateException("the floor waits for nobody");
    }
    return new Mutex.Hold() {
      @Override
      public void release() throws Exception {
        release.run();
      }

      @Override
      public long token() {
        return token;
      }
    };
  }

  /** Gives a lock back. */
  protected interface Release {

    /** Now. */
    void run() throws Exception;
  }
}
