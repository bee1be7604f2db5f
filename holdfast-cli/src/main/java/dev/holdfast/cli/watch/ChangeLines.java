package dev.holdfast.cli.watch;

import dev.holdfast.ClaimInfo;
import dev.holdfast.LockInfo;
import dev.holdfast.PrintableText;
import dev.holdfast.StoreException;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.Json;
import dev.holdfast.cli.output.LockJson;
import dev.holdfast.cli.output.LockText;
import java.io.PrintStream;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One line for each change: for a log, or as JSON for a program. */
public final class ChangeLines implements WatchView {

  private final Console console;
  private final PrintStream out;
  private final boolean json;
  private final Changes changes = new Changes();

  // Mutable state
  private boolean unknown;

  public ChangeLines(Console console, boolean json) {
    this.console = console;
    this.out = console.out();
    this.json = json;
  }

  @Override
  public void show(List<LockInfo> locks) {
    if (unknown) {
      unknown = false;
      line("known", null, null, "the store answers again");
    }
    for (Changes.Change change : changes.since(locks)) {
      line(change.event(), change.lock(), change.claim(), null);
    }
  }

  @Override
  public void unknown(StoreException failure) {
    if (!unknown) { // once, not with every poll
      unknown = true;
      line("unknown", null, null, console.withoutSecrets(String.valueOf(failure.getMessage())));
    }
  }

  @Override
  public boolean isOpen() {
    return !out.checkError();
  }

  @Override
  public void close() {
    out.flush();
  }

  private void line(
      String event, @Nullable String lock, @Nullable ClaimInfo claim, @Nullable String message) {
    Instant time = Instant.now().truncatedTo(ChronoUnit.MILLIS);
    if (json) {
      Map<String, @Nullable Object> object = new LinkedHashMap<>();
      object.put("time", time.toString());
      object.put("event", event);
      object.put("name", lock);
      object.put("claim", claim == null ? null : LockJson.claim(claim));
      object.put("message", message);
      out.println(Json.of(object));
      return;
    }
    String what = lock == null ? String.valueOf(message) : "'" + lock + "'";
    String who = claim == null ? "" : " " + LockText.claim(claim);
    String token = claim == null || claim.token() == 0 ? "" : ", token " + claim.token();
    out.println(
        time.truncatedTo(ChronoUnit.SECONDS)
            + String.format(" %-7s ", event)
            + PrintableText.escape(what + who + token));
  }
}
