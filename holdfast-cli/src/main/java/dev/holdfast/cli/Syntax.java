package dev.holdfast.cli;

import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParseResult;

/** What a subcommand takes. Options that every subcommand has are already in it. */
final class Syntax {

  final String command;
  final String operand;
  final boolean operandRequired;
  final boolean takesCommand;
  final CommandSpec spec = CommandSpec.create();

  // Mutable state
  private @Nullable String insteadOfOperand;
  private List<String> actions = List.of();

  private Syntax(String command, String operand, boolean required, boolean takesCommand) {
    this.command = command;
    this.operand = operand;
    this.operandRequired = required;
    this.takesCommand = takesCommand;
    spec.name(command);
    // As many as are given: what is too much is refused with a word on what would be right.
    spec.addPositional(
        PositionalParamSpec.builder()
            .paramLabel(operand)
            .arity("0..*")
            .type(List.class)
            .auxiliaryTypes(String.class)
            .build());
    flag("--help", "-h").flag("--verbose");
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

  /** Takes one of these words, and one operand behind it. */
  static Syntax actions(String command, List<String> actions, String operand) {
    Syntax syntax = new Syntax(command, operand, true, false);
    syntax.actions = List.copyOf(actions);
    return syntax;
  }

  /** Takes one operand, and a command of the user's after {@code --}. */
  static Syntax withCommand(String command, String operand) {
    return new Syntax(command, operand, true, true);
  }

  /** The words of which one must come first; empty for most commands. */
  List<String> actions() {
    return actions;
  }

  /** Speaks to a store: which one, and the password for it. */
  Syntax store() {
    return value("--store").value("--password-file");
  }

  /** An option without a value, by its name and short forms. */
  Syntax flag(String... names) {
    spec.addOption(OptionSpec.builder(names).type(boolean.class).arity("0").build());
    return this;
  }

  /** An option with a value that stands in for the operand. */
  Syntax operandOr(String name) {
    insteadOfOperand = name;
    return value(name);
  }

  /** Whether an operand must go with these options. */
  boolean needsOperand(ParseResult options) {
    return operandRequired
        && (insteadOfOperand == null || !options.hasMatchedOption(insteadOfOperand));
  }

  /** An option with a value. */
  Syntax value(String name) {
    spec.addOption(OptionSpec.builder(name).type(String.class).arity("1").build());
    return this;
  }
}
