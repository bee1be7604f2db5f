package dev.holdfast.bench.contender;

/**
 * A lock that is held, with its token.
 *
 * @param giveBack gives it back
 */
public record Granted(long token, Release giveBack) implements Mutex.Hold {

  /** Gives a lock back. */
  public interface Release {

    /** Now. */
    void run() throws Exception;
  }

  @Override
  public void release() throws Exception {
    giveBack.run();
  }
}
