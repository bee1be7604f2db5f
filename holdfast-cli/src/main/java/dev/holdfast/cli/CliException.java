package dev.holdfast.cli;

import org.jspecify.annotations.Nullable;

/** Ends the command with one line for the user and an exit code. */
final class CliException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final int exitCode;

  CliException(int exitCode, String message) {
    this(exitCode, message, null);
  }

  CliException(int exitCode, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.exitCode = exitCode;
  }

  /** The command line is wrong; the message says what would be right. */
  static CliException usage(String message) {
    return new CliException(ExitCodes.USAGE, message);
  }

  int exitCode() {
    return exitCode;
  }
}
