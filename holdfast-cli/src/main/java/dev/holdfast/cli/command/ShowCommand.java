package dev.holdfast.cli.command;

import dev.holdfast.ClaimInfo;
import dev.holdfast.Holdfast;
import dev.holdfast.LockInfo;
import dev.holdfast.LockName;
import dev.holdfast.PrintableText;
import dev.holdfast.cli.arguments.Arguments;
import dev.holdfast.cli.arguments.Syntax;
import dev.holdfast.cli.config.StoreChoice;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.Durations;
import dev.holdfast.cli.output.ExitCodes;
import dev.holdfast.cli.output.Json;
import dev.holdfast.cli.output.LockJson;
import dev.holdfast.cli.output.LockText;
import dev.holdfast.cli.output.Table;

/** {@code holdfast show NAME}: the holders of a lock and its waiters. */
public final class ShowCommand implements Command {

  @Override
  public Syntax syntax() {
    return Syntax.one("show", "NAME").store().flag("--json");
  }

  @Override
  public int execute(Arguments arguments, Console console) {
    String name = LockName.check(arguments.operand());
    LockInfo lock;
    try (Holdfast client = StoreChoice.connect(arguments, console)) {
      lock = client.inspect(name);
    }
    if (arguments.has("--json")) {
      console.out().println(Json.of(LockJson.lock(lock)));
    } else if (lock.holders().isEmpty() && lock.waiters().isEmpty()) {
      console.out().println("'" + PrintableText.escape(name) + "' is free");
    } else {
      table(lock).print(console);
    }
    return ExitCodes.OK;
  }

  private static Table table(LockInfo lock) {
    Table table = new Table(LockText.kind(lock), "WHO", "TOKEN", "FOR", "LEFT");
    for (ClaimInfo holder : lock.holders()) {
      row(table, holder.keepable() ? "holds or keeps" : "holds", holder);
    }
    for (ClaimInfo waiter : lock.waiters()) {
      row(table, "waits", waiter);
    }
    return table;
  }

  private static void row(Table table, String verb, ClaimInfo claim) {
    table.row(
        verb,
        LockText.claim(claim),
        claim.token() == 0 ? "-" : Long.toString(claim.token()),
        Durations.format(claim.age()),
        Durations.format(claim.remaining()));
  }
}
