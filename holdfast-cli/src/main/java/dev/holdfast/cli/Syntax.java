package dev.holdfast.cli;

import java.util.LinkedHashMap;
import java.util.Map;

/** What a subcommand takes. Options that every subcommand has are already in it. */
final class Syntax {

  final String command;
  final String operand;
  final boolean operandRequired;
  final boolean takesCommand;
  final Map<String, Boolean> options = new LinkedHashMap<>(); // name -> has a value
  final Map<String, String> shortForms = new LinkedHashMap<>();

  private Syntax(String command, String operand, boolean required, boolean takesCommand) {
    this.command = command;
    this.operand = operand;
    this.operandRequired = required;
    this.takesCommand = takesCommand;
    flag("--help").shortForm("-h", "--help").flag("--verbose");
  }

  /** Takes options only. */
  static Syntax plain(String command) {
    return new Syntax(command, "", false, false);
  }

  /** Takes one operand, which may be left out. */
  static Syntax optional(String command, String operand) {
    return new Syntax(command, operand, false, false);
  }

  /** Takes exactly one operand. */
  static Syntax one(String command, String operand) {
    return new Syntax(command, operand, true, false);
  }

  /** Takes one operand, and a command of the user's after {@code --}. */
  static Syntax withCommand(String command, String operand) {
    return new Syntax(command, operand, true, true);
  }

  Syntax flag(String option) {
    options.put(option, false);
    return this;
  }

  Syntax value(String option) {
    options.put(option, true);
    return this;
  }

  Syntax shortForm(String letter, String option) {
    shortForms.put(letter, option);
    return this;
  }
}
