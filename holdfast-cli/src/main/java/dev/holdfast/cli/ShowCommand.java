package dev.holdfast.cli;

import dev.holdfast.ClaimInfo;
import dev.holdfast.Holdfast;
import dev.holdfast.LockInfo;
import dev.holdfast.spi.LockName;
import dev.holdfast.spi.support.PrintableText;

/** {@code holdfast show NAME}: who holds a lock, and who waits for it. */
final class ShowCommand implements Command {

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
    Table table = new Table(Roles.kind(lock), "WHO", "TOKEN", "FOR", "LEFT");
    for (ClaimInfo holder : lock.holders()) {
      row(table, "holds", holder);
    }
    for (ClaimInfo waiter : lock.waiters()) {
      row(table, "waits", waiter);
    }
    return table;
  }

  private static void row(Table table, String verb, ClaimInfo claim) {
    table.row(
        verb,
        Roles.describe(claim),
        claim.token() == 0 ? "-" : Long.toString(claim.token()),
        Durations.format(claim.age()),
        Durations.format(claim.remaining()));
  }
}
