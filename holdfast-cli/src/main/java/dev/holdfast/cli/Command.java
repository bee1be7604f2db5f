package dev.holdfast.cli;

/** A subcommand. Its class is loaded only when it is used. */
interface Command {

  /** What it takes. */
  Syntax syntax();

  /**
   * Does it.
   *
   * @return the exit code
   */
  int execute(Arguments arguments, Console console) throws Exception;
}
