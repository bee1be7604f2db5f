package dev.holdfast.cli.output;

/**
 * The exit codes of the command line, after {@code sysexits.h} where it has one. The code of a
 * command run under a lock is passed on unchanged, or as 128 + n if signal n killed it.
 */
public final class ExitCodes {

  /** Success. */
  public static final int OK = 0;

  /** The answer is no: the user declined, a proof does not hold, a store endangers locks. */
  public static final int NO = 1;

  /** The command line is wrong. */
  public static final int USAGE = 64;

  /** The store did not answer or cannot be used: nothing is known about the lock. */
  public static final int STORE_UNREACHABLE = 69;

  /** A defect of Holdfast, or of the system under it. */
  public static final int INTERNAL = 70;

  /** The lock is held. */
  public static final int BUSY = 75;

  /** The lock was lost while the command ran; the command was stopped. */
  public static final int LOST = 76;

  /** The command was found but cannot be executed. */
  public static final int NOT_EXECUTABLE = 126;

  /** The command was not found. */
  public static final int NOT_FOUND = 127;

  private ExitCodes() {}

  /** The exit code of a process that the signal ended. */
  public static int ofSignal(int number) {
    return 128 + number;
  }
}
