package dev.holdfast.cli.command;

import dev.holdfast.cli.arguments.Arguments;
import dev.holdfast.cli.arguments.Syntax;
import dev.holdfast.cli.output.Console;

/** A subcommand. Its class is loaded only when it is used. */
public interface Command {

  /** What it takes. */
  Syntax syntax();

  /**
   * Does it.
   *
   * @return the exit code
   */
  int execute(Arguments arguments, Console console) throws Exception;
}
