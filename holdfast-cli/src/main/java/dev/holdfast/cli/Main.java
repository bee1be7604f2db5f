package dev.holdfast.cli;

import dev.holdfast.LeaseLostException;
import dev.holdfast.LockTimeoutException;
import dev.holdfast.StoreException;
import dev.holdfast.cli.arguments.Arguments;
import dev.holdfast.cli.command.Command;
import dev.holdfast.cli.command.Commands;
import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.ExitCodes;
import dev.holdfast.cli.output.Resources;
import dev.holdfast.cli.output.Text;
import java.util.Arrays;
import java.util.List;

/**
 * The {@code holdfast} command. Finds the subcommand, and turns each failure into one line on
 * stderr and an exit code ({@link ExitCodes}).
 */
public final class Main {

  private Main() {}

  /** Runs the command line and ends the process with its exit code. */
  public static void main(String[] args) {
    QuietLogging.install();
    System.exit(run(args, Console.system()));
  }

  /** Runs the command line; returns its exit code. */
  public static int run(String[] args, Console console) {
    try {
      List<String> words = Arrays.asList(args);
      checkEncoding(words);
      if (isVerbose(words)) {
        console.verbose(true);
        CliLoggerFinder.showOn(console);
      }
      return dispatch(words, console);
    } catch (CliException e) {
      console.say(message(e), e);
      return e.exitCode();
    } catch (StoreException e) {
      console.say(message(e), e);
      return ExitCodes.STORE_UNREACHABLE;
    } catch (LockTimeoutException e) {
      console.say(message(e), e);
      return ExitCodes.BUSY;
    } catch (LeaseLostException e) {
      console.say(message(e), e);
      return ExitCodes.LOST;
    } catch (IllegalArgumentException | IllegalStateException | UnsupportedOperationException e) {
      // Thrown by the library for invalid input: a name, a duration, a URL, another kind of lock.
      console.say(message(e), e);
      return ExitCodes.USAGE;
    } catch (Exception | LinkageError e) {
      String what = e.getClass().getSimpleName() + ": " + message(e);
      console.say("unexpected " + what + (console.isVerbose() ? "" : " (--verbose shows more)"), e);
      return ExitCodes.INTERNAL;
    }
  }

  private static int dispatch(List<String> words, Console console) throws Exception {
    String name = words.isEmpty() ? "" : words.get(0);
    switch (name) {
      case "" -> {
        printHelp("main", console);
        return words.isEmpty() ? ExitCodes.USAGE : unknown(name);
      }
      case "help", "--help", "-h" -> {
        return help(words, console);
      }
      case "--version" -> name = "version";
      default -> {}
    }
    Command command = Commands.find(name);
    if (command == null) {
      return unknown(name);
    }
    Arguments arguments = Arguments.parse(command.syntax(), words.subList(1, words.size()));
    if (arguments.has("--help")) {
      printHelp(name, console);
      return ExitCodes.OK;
    }
    return command.execute(arguments, console);
  }

  private static int help(List<String> words, Console console) {
    String topic = words.size() > 1 ? words.get(1) : "main";
    if (!topic.equals("main") && Commands.find(topic) == null) {
      return unknown(topic);
    }
    printHelp(topic, console);
    return ExitCodes.OK;
  }

  private static void printHelp(String topic, Console console) {
    console.out().print(Resources.text("help/" + topic + ".txt"));
    console.out().flush();
  }

  private static int unknown(String name) {
    String nearest = Text.nearest(name, Commands.NAMES);
    throw CliException.usage(
        "unknown command '"
            + name
            + "'; "
            + (nearest == null
                ? "the commands are: " + String.join(", ", Commands.NAMES)
                : "did you mean '" + nearest + "'?")
            + " (see holdfast --help)");
  }

  /** Found before parsing, so that it applies to parse errors as well. */
  private static boolean isVerbose(List<String> words) {
    int dashes = words.indexOf("--");
    return words.subList(0, dashes < 0 ? words.size() : dashes).contains("--verbose");
  }

  /**
   * Refuses arguments that the JVM could not decode: two different names could become one, and the
   * command would get question marks.
   */
  private static void checkEncoding(List<String> words) {
    for (String word : words) {
      if (word.indexOf('\ufffd') >= 0) {
        throw CliException.usage(
            "the argument '"
                + word
                + "' is not valid text in the encoding of this locale ("
                + System.getProperty("sun.jnu.encoding")
                + "); write it in UTF-8 and set LC_ALL=C.UTF-8");
      }
    }
  }

  private static String message(Throwable failure) {
    String message = failure.getMessage();
    return message == null || message.isBlank() ? failure.getClass().getSimpleName() : message;
  }
}
