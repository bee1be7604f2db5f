package dev.holdfast;

import java.lang.System.Logger.Level;

/** Ready-made actions for {@link Lease#onLost(Runnable)}. */
public final class OnLost {

  /** The exit status of {@link #halt()}: the same as the command line's for a lost lease. */
  public static final int HALT_STATUS = 76;

  private OnLost() {}

  /**
   * Ends this process at once, without shutdown hooks or finally blocks, so that nothing more is
   * written; its supervisor starts it again. The exit status is {@value #HALT_STATUS}.
   */
  public static Runnable halt() {
    return () -> {
      System.getLogger(OnLost.class.getName())
          .log(Level.ERROR, "The lock is lost: ending this process with status " + HALT_STATUS);
      Runtime.getRuntime().halt(HALT_STATUS);
    };
  }

  /** Interrupts the thread that calls this method now. */
  public static Runnable interruptCurrentThread() {
    return Thread.currentThread()::interrupt;
  }
}
