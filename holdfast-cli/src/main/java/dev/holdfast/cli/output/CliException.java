package dev.holdfast.cli.output;

import org.jspecify.annotations.Nullable;

/** Ends the command with one line for the user and an exit code. */
public final class CliException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final int exitCode;

  public CliException(int exitCode, String message) {
    this(exitCode, message, null);
  }

  public CliException(int exitCode, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.exitCode = exitCode;
  }

  /** The command line is wrong; the message says what would be right. */
  public static CliException usage(String message) {
    return new CliException(ExitCodes.USAGE, message);
  }

  public int exitCode() {
    return exitCode;
  }
}
