package dev.holdfast.cli.command;

import dev.holdfast.Holdfast;
import dev.holdfast.LockInfo;
import dev.holdfast.StoreException;
import dev.holdfast.cli.arguments.Arguments;
import dev.holdfast.cli.arguments.Syntax;
import dev.holdfast.cli.config.StoreChoice;
import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.Durations;
import dev.holdfast.cli.output.ExitCodes;
import dev.holdfast.cli.signal.StopRequests;
import dev.holdfast.cli.watch.ChangeLines;
import dev.holdfast.cli.watch.LiveTable;
import dev.holdfast.cli.watch.WatchView;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * {@code holdfast watch [PREFIX]}: the locks in use, as they change, until a signal ends it. At a
 * terminal, a table that is redrawn; otherwise a line for each change.
 *
 * <p>The store is polled: what begins and ends between two polls is not seen. A store that does not
 * answer is polled again.
 */
final class WatchCommand implements Command {

  private static final Duration INTERVAL = Duration.ofSeconds(1);

  /** Shorter than for other commands: a person is watching. */
  private static final Duration ANSWER = Duration.ofSeconds(5);

  private static final Duration SHORTEST = Duration.ofMillis(100);

  @Override
  public Syntax syntax() {
    return Syntax.optional("watch", "PREFIX").store().value("--interval").flag("--json");
  }

  @Override
  public int execute(Arguments arguments, Console console) throws InterruptedException {
    String prefix = arguments.operand();
    Duration interval = interval(arguments);
    StoreChoice store = StoreChoice.of(arguments, console);
    try (Holdfast locks = store.builder().operationTimeout(ANSWER).build()) {
      locks.list(prefix); // fails as in other commands if the store cannot be used at all
      CompletableFuture<Integer> stop = StopRequests.listen().first();
      try (WatchView view = view(prefix, interval, store, arguments, console)) {
        while (view.isOpen()) {
          look(locks, prefix, view, stop);
          if (isDone(stop, interval)) {
            return ExitCodes.ofSignal(stop.join());
          }
        }
      }
    }
    return ExitCodes.OK;
  }

  /** Polls the store once, unless a stop comes first. */
  private static void look(
      Holdfast locks, String prefix, WatchView view, CompletableFuture<Integer> stop) {
    CompletableFuture<List<LockInfo>> answer =
        CompletableFuture.supplyAsync(() -> locks.list(prefix));
    try {
      CompletableFuture.anyOf(answer, stop).join();
      if (answer.isDone()) {
        view.show(answer.join());
      }
    } catch (CompletionException e) {
      if (!(e.getCause() instanceof StoreException failure)) {
        throw e;
      }
      view.unknown(failure);
    }
  }

  private static Duration interval(Arguments arguments) {
    String text = arguments.value("--interval");
    if (text == null) {
      return INTERVAL;
    }
    Duration interval = Durations.parse("--interval", text);
    if (interval.compareTo(SHORTEST) < 0) {
      throw CliException.usage("--interval '" + text + "' is too short; at least 100ms");
    }
    return interval;
  }

  private static WatchView view(
      String prefix, Duration interval, StoreChoice store, Arguments arguments, Console console) {
    if (arguments.has("--json")) {
      return new ChangeLines(console, true);
    }
    if (!console.isTerminal(1) || "dumb".equals(console.env("TERM"))) {
      return new ChangeLines(console, false);
    }
    String title =
        (prefix.isEmpty() ? "locks" : "locks '" + prefix + "'…")
            + " in "
            + store.redacted()
            + ", every "
            + Durations.format(interval);
    return new LiveTable(title, console);
  }

  private static boolean isDone(CompletableFuture<?> stop, Duration patience)
      throws InterruptedException {
    try {
      stop.get(patience.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }
}
