package dev.holdfast.cli.command;

import dev.holdfast.ClaimInfo;
import dev.holdfast.Holdfast;
import dev.holdfast.LockInfo;
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
import java.util.ArrayList;
import java.util.List;

/** {@code holdfast ls [PREFIX]}: the locks in use. */
final class LsCommand implements Command {

  @Override
  public Syntax syntax() {
    return Syntax.optional("ls", "PREFIX").store().flag("--json");
  }

  @Override
  public int execute(Arguments arguments, Console console) {
    List<LockInfo> locks;
    try (Holdfast client = StoreChoice.connect(arguments, console)) {
      locks = client.list(arguments.operand());
    }
    if (arguments.has("--json")) {
      List<Object> json = new ArrayList<>();
      for (LockInfo lock : locks) {
        json.add(LockJson.lock(lock));
      }
      console.out().println(Json.of(json));
    } else if (locks.isEmpty()) {
      console.say("no lock is in use" + (arguments.operand().isEmpty() ? "" : " with that prefix"));
    } else {
      table(locks).print(console);
    }
    if (locks.size() == Holdfast.LIST_LIMIT) {
      console.say("only the first " + Holdfast.LIST_LIMIT + " locks are shown; give a prefix");
    }
    return ExitCodes.OK;
  }

  private static Table table(List<LockInfo> locks) {
    Table table = new Table("NAME", "HOLDER", "TOKEN", "FOR", "WAITING");
    for (LockInfo lock : locks) {
      String waiting = Integer.toString(lock.waiters().size());
      if (!lock.isHeld()) {
        table.row(lock.name(), "-", "-", "-", waiting);
      }
      for (ClaimInfo holder : lock.holders()) {
        table.row(
            lock.name(),
            LockText.claim(holder),
            Long.toString(holder.token()),
            Durations.format(holder.age()),
            waiting);
      }
    }
    return table;
  }
}
