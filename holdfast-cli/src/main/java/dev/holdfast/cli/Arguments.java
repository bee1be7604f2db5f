package dev.holdfast.cli;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The arguments of a subcommand, sorted into options, operand and the user's command. */
final class Arguments {

  private final Map<String, String> values = new HashMap<>();
  private final List<String> operands = new ArrayList<>();
  private List<String> command = List.of();

  private Arguments() {}

  /**
   * Sorts them.
   *
   * @throws CliException if something is unknown, missing, or too much
   */
  static Arguments parse(Syntax syntax, List<String> words) {
    Arguments result = new Arguments();
    int at = 0;
    while (at < words.size()) {
      String word = words.get(at++);
      if (word.equals("--")) {
        result.afterDashes(syntax, words.subList(at, words.size()));
        break;
      }
      if (word.length() > 1 && word.startsWith("-")) {
        at += result.option(syntax, word, at < words.size() ? words.get(at) : null);
      } else {
        result.operands.add(word);
      }
    }
    if (!result.has("--help")) {
      result.check(syntax);
    }
    return result;
  }

  boolean has(String option) {
    return values.containsKey(option);
  }

  /** The option's value, or null if it was not given. */
  @Nullable String value(String option) {
    return values.get(option);
  }

  /** The operand, or empty if it was left out. */
  String operand() {
    return operands.isEmpty() ? "" : operands.get(0);
  }

  /** What stood after {@code --}: the user's command and its arguments. */
  List<String> command() {
    return command;
  }

  private void afterDashes(Syntax syntax, List<String> rest) {
    if (syntax.takesCommand) {
      command = List.copyOf(rest);
    } else {
      operands.addAll(rest);
    }
  }

  /** Takes one option; returns how many further words belong to it. */
  private int option(Syntax syntax, String word, @Nullable String next) {
    int equals = word.startsWith("--") ? word.indexOf('=') : -1;
    String given = equals < 0 ? word : word.substring(0, equals);
    String name = syntax.shortForms.getOrDefault(given, given);
    Boolean valued = syntax.options.get(name);
    if (valued == null) {
      throw unknown(syntax, given);
    }
    String value = equals < 0 ? null : word.substring(equals + 1);
    int used = 0;
    if (valued && value == null) {
      if (next == null || next.equals("--")) {
        throw CliException.usage(given + " needs a value" + seeHelp(syntax));
      }
      value = next;
      used = 1;
    } else if (!valued && value != null) {
      throw CliException.usage(given + " takes no value" + seeHelp(syntax));
    }
    if (values.put(name, value == null ? "" : value) != null) {
      throw CliException.usage(given + " is given twice; once is enough");
    }
    return used;
  }

  private void check(Syntax syntax) {
    if (operands.isEmpty() && syntax.operandRequired) {
      throw CliException.usage("no " + syntax.operand + " given" + seeHelp(syntax));
    }
    int most = syntax.operand.isEmpty() ? 0 : 1;
    if (operands.size() > most) {
      String extra = operands.get(most);
      throw CliException.usage(
          syntax.takesCommand && command.isEmpty()
              ? "put -- before the command: holdfast "
                  + syntax.command
                  + " "
                  + operand()
                  + " -- "
                  + extra
              : "unexpected argument '" + extra + "'" + seeHelp(syntax));
    }
    if (syntax.takesCommand && command.isEmpty()) {
      throw CliException.usage(
          "no command given; put it after --: holdfast "
              + syntax.command
              + " "
              + operand()
              + " -- COMMAND");
    }
  }

  private static CliException unknown(Syntax syntax, String given) {
    String nearest = Text.nearest(given, syntax.options.keySet());
    return CliException.usage(
        "unknown option "
            + given
            + (nearest == null ? "" : "; did you mean " + nearest + "?")
            + seeHelp(syntax));
  }

  private static String seeHelp(Syntax syntax) {
    return " (see holdfast " + syntax.command + " --help)";
  }
}
