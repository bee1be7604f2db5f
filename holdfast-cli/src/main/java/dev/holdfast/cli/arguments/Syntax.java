package dev.holdfast.cli.arguments;

import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParseResult;

/** The options and operands of a subcommand. Those of every subcommand are included. */
public final class Syntax {

  public final String command;
  public final String operand;
  final boolean operandRequired;
  final boolean takesCommand;
  public final CommandSpec spec = CommandSpec.create();

  // Mutable state
  private @Nullable String insteadOfOperand;
  private List<String> actions = List.of();

  private Syntax(String command, String operand, boolean required, boolean takesCommand) {
    this.command = command;
    this.operand = operand;
    this.operandRequired = required;
    this.takesCommand = takesCommand;
    spec.name(command);
    // Any number, so that surplus operands can be refused with a helpful message.
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
  public static Syntax plain(String command) {
    return new Syntax(command, "", false, false);
  }

  /** Takes one operand, which may be left out. */
  public static Syntax optional(String command, String operand) {
    return new Syntax(command, operand, false, false);
  }

  /** Takes exactly one operand. */
  public static Syntax one(String command, String operand) {
    return new Syntax(command, operand, true, false);
  }

  /** Takes one of these actions, then one operand. */
  public static Syntax actions(String command, List<String> actions, String operand) {
    Syntax syntax = new Syntax(command, operand, true, false);
    syntax.actions = List.copyOf(actions);
    return syntax;
  }

  /** Takes one operand, and the user's command after {@code --}. */
  public static Syntax withCommand(String command, String operand) {
    return new Syntax(command, operand, true, true);
  }

  /** The actions, one of which must come first; empty for most commands. */
  public List<String> actions() {
    return actions;
  }

  /** Adds the options of commands that use a store. */
  public Syntax store() {
    return value("--store").value("--password-file");
  }

  /** An option without a value, by its name and short forms. */
  public Syntax flag(String... names) {
    spec.addOption(OptionSpec.builder(names).type(boolean.class).arity("0").build());
    return this;
  }

  /** An option with a value that stands in for the operand. */
  public Syntax operandOr(String name) {
    insteadOfOperand = name;
    return value(name);
  }

  /** Returns whether an operand must go with these options. */
  boolean needsOperand(ParseResult options) {
    return operandRequired
        && (insteadOfOperand == null || !options.hasMatchedOption(insteadOfOperand));
  }

  /** An option with a value. */
  public Syntax value(String name) {
    spec.addOption(OptionSpec.builder(name).type(String.class).arity("1").build());
    return this;
  }
}
