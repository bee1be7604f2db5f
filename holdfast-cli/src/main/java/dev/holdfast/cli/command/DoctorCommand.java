package dev.holdfast.cli.command;

import dev.holdfast.Consistency;
import dev.holdfast.Finding;
import dev.holdfast.Finding.Severity;
import dev.holdfast.Holdfast;
import dev.holdfast.PrintableText;
import dev.holdfast.StoreException;
import dev.holdfast.Traits;
import dev.holdfast.cli.arguments.Arguments;
import dev.holdfast.cli.arguments.Syntax;
import dev.holdfast.cli.config.StoreChoice;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.Durations;
import dev.holdfast.cli.output.ExitCodes;
import dev.holdfast.cli.output.Json;
import dev.holdfast.cli.output.LockJson;
import dev.holdfast.cli.output.Style;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * {@code holdfast doctor}: whether the store is there, how fast it is, and what endangers locks.
 */
final class DoctorCommand implements Command {

  @Override
  public Syntax syntax() {
    return Syntax.plain("doctor").store().flag("--json");
  }

  @Override
  public int execute(Arguments arguments, Console console) throws InterruptedException {
    StoreChoice store = StoreChoice.of(arguments, console);
    StoreExamination examination;
    try (Holdfast locks = store.builder().clientName("holdfast doctor").build()) {
      examination = StoreExamination.of(locks);
    } catch (StoreException e) {
      return unreachable(store, e, arguments, console);
    }
    if (arguments.has("--json")) {
      console.out().println(Json.of(json(store, examination, console)));
    } else {
      print(store, examination, console);
    }
    return examination.worst() == Severity.DANGER ? ExitCodes.NO : ExitCodes.OK;
  }

  private static int unreachable(
      StoreChoice store, StoreException failure, Arguments arguments, Console console) {
    if (arguments.has("--json")) {
      Map<String, @Nullable Object> json = new LinkedHashMap<>();
      json.put("store", store.redacted());
      json.put("reachable", false);
      console.out().println(Json.of(json));
    }
    console.say(String.valueOf(failure.getMessage()), failure);
    return ExitCodes.STORE_UNREACHABLE;
  }

  private static Map<String, @Nullable Object> json(
      StoreChoice store, StoreExamination examination, Console console) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("store", store.redacted());
    json.put("reachable", true);
    json.put("roundTripMicros", examination.middle().toNanos() / 1000);
    json.put("bestRoundTripMicros", examination.best().toNanos() / 1000);
    Duration lock = examination.lock();
    json.put("lockMicros", lock == null ? null : lock.toNanos() / 1000);
    Duration offset = examination.offset();
    json.put("clockOffsetMillis", offset == null ? null : offset.toMillis());
    json.put("clockErrorMillis", offset == null ? null : examination.error().toMillis());
    json.put("traits", LockJson.traits(examination.traits()));
    List<Object> findings = new ArrayList<>();
    for (Finding finding : examination.findings()) {
      Map<String, @Nullable Object> object = new LinkedHashMap<>();
      object.put("severity", finding.severity().name().toLowerCase(Locale.ROOT));
      object.put("message", console.withoutSecrets(finding.message()));
      findings.add(object);
    }
    json.put("findings", findings);
    return json;
  }

  private static void print(StoreChoice store, StoreExamination examination, Console console) {
    Style style = console.style();
    line(console, "store", store.redacted());
    line(
        console,
        "reachable",
        "yes, in "
            + millis(examination.middle())
            + " for a round trip, "
            + millis(examination.best())
            + " at best");
    Duration lock = examination.lock();
    line(console, "lock", lock == null ? "not taken" : "acquired and released in " + millis(lock));
    line(console, "clock", clock(examination));
    String what = "promises";
    for (String promise : promises(examination.traits())) {
      line(console, what, promise);
      what = "";
    }
    for (Finding finding : examination.findings()) {
      String word = finding.severity().name().toLowerCase(Locale.ROOT);
      String padded = String.format("%-11s", word);
      String coloured =
          switch (finding.severity()) {
            case OK -> style.green(padded);
            case WARNING -> style.yellow(padded);
            case DANGER -> style.red(padded);
          };
      console
          .out()
          .println(coloured + PrintableText.escape(console.withoutSecrets(finding.message())));
    }
    if (examination.worst() == Severity.OK) {
      console.out().println(style.green("fine       ") + "found nothing that endangers locks");
    }
  }

  private static void line(Console console, String what, String text) {
    console.out().println(String.format("%-11s", what) + PrintableText.escape(text));
  }

  private static String clock(StoreExamination examination) {
    Duration offset = examination.offset();
    if (offset == null) {
      return "the store does not report its time";
    }
    if (offset.abs().compareTo(examination.error()) <= 0) {
      return "the same as this host's, give or take " + millis(examination.error());
    }
    return millis(offset.abs())
        + (offset.isNegative() ? " behind" : " ahead of")
        + " this host's, give or take "
        + millis(examination.error());
  }

  private static List<String> promises(Traits traits) {
    List<String> promises = new ArrayList<>();
    promises.add(
        traits.consistency() == Consistency.LINEARIZABLE
            ? "no acknowledged grant is lost"
            : "best effort");
    promises.add(traits.spansProcesses() ? "excludes processes" : "excludes threads only");
    promises.add(traits.fair() ? "first come, first served" : "waiters get it in any order");
    promises.add(traits.pushes() ? "wakes the next in line" : "waiters poll it");
    promises.add(traits.durable() ? "survives a restart" : "may forget locks at a restart");
    promises.add(
        "ttl of " + Durations.format(traits.minTtl()) + " to " + Durations.format(traits.maxTtl()));
    return promises;
  }

  private static String millis(Duration duration) {
    long micros = duration.toNanos() / 1000;
    return micros < 10_000
        ? micros / 1000 + "." + micros % 1000 / 100 + " ms"
        : Durations.format(duration);
  }
}
