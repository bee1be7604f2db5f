package dev.holdfast.cli.command;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The subcommands by name. The class of a command is loaded only when it is looked up. */
public final class Commands {

  /** The names, in the order in which the help lists them. */
  public static final List<String> NAMES =
      List.of(
          "run",
          "elect",
          "acquire",
          "renew",
          "release",
          "ls",
          "show",
          "watch",
          "break",
          "fence",
          "verify",
          "stores",
          "doctor",
          "completion",
          "version",
          "help");

  private Commands() {}

  /** The command of this name; null if there is none, and for {@code help}, which Main prints. */
  public static @Nullable Command find(String name) {
    return switch (name) {
      case "run" -> new RunCommand();
      case "elect" -> new ElectCommand();
      case "acquire" -> new AcquireCommand();
      case "renew" -> new RenewCommand();
      case "release" -> new ReleaseCommand();
      case "ls" -> new LsCommand();
      case "show" -> new ShowCommand();
      case "watch" -> new WatchCommand();
      case "break" -> new BreakCommand();
      case "fence" -> new FenceCommand();
      case "verify" -> new VerifyCommand();
      case "stores" -> new StoresCommand();
      case "doctor" -> new DoctorCommand();
      case "completion" -> new CompletionCommand();
      case "version" -> new VersionCommand();
      default -> null;
    };
  }
}
