package dev.holdfast.torture.report;

import dev.holdfast.testkit.promise.Promise;
import dev.holdfast.torture.judge.Judgement;
import dev.holdfast.torture.judge.Verdict;
import dev.holdfast.torture.nemesis.CausedFault;
import dev.holdfast.torture.nemesis.Happened;
import dev.holdfast.torture.store.FaultKind;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The report of one store, for people. */
final class Markdown {

  private final Happened happened;
  private final Judgement judgement;
  private final Result result;
  private final int pages;
  private final StringBuilder text = new StringBuilder();

  Markdown(Happened happened, Judgement judgement, Result result, int pages) {
    this.happened = happened;
    this.judgement = judgement;
    this.result = result;
    this.pages = pages;
  }

  String text() {
    say("# %s under torture: %s%n%n", result.title(), result.passed() ? "all held" : "BROKEN");
    say(
        "%d faults in %d s, seed %d, ttl %d ms, %d workers at a time, %d clients in all.%n%n",
        result.allFaults(),
        result.seconds(),
        result.seed(),
        result.ttlMillis(),
        result.workers(),
        result.processes());
    say(
        "Replay the faults: `./holdfast torture --store %s --minutes %s --seed %d --workers %d`%n%n",
        result.store(), minutes(), result.seed(), result.workers());
    problems();
    figures();
    promises();
    expectations();
    faults();
    say(
        "%n## Timeline%n%nWho held, when, with which token, under which fault; hover for details.%n%n");
    for (int page = 1; page <= pages; page++) {
      say("- [minute %d](timeline-%02d.svg)%n", page, page);
    }
    examples();
    return text.toString();
  }

  private String minutes() {
    return String.format(Locale.ROOT, "%.3f", result.seconds() / 60.0).replaceAll("\\.?0+$", "");
  }

  private void problems() {
    if (!result.problems().isEmpty()) {
      say("## Problems%n%n");
      result.problems().forEach(problem -> say("- %s%n", problem));
      say("%n");
    }
  }

  private void figures() {
    say("## Figures%n%n| | |%n| --- | --- |%n");
    row("grants", String.format(Locale.ROOT, "%,d", result.allGrants()));
    result.grants().forEach((use, count) -> row("– " + use.toLowerCase(Locale.ROOT), "" + count));
    row("writes taken, late ones among them", result.writes() + ", " + result.lateWrites());
    row("stale writes refused", "" + result.refused());
    row("stale writes accepted", "" + result.staleAccepted());
    row("overlaps of valid leases", "" + result.overlaps());
    row(
        "overlaps after a break or a fault that the store may forget by",
        "" + result.expectedOverlaps());
    row("token regressions", "" + result.regressions());
    row("losses told", "" + result.losses());
    row("losses told late or never", "" + result.lateLosses());
    row(
        "takeovers after kill -9 while servers ran",
        "%d; median %d ms, longest %d ms; ttl and late takeover %d ms, exceeded %d times"
            .formatted(
                result.takeovers(),
                result.takeoverMedianMillis(),
                result.takeoverMaxMillis(),
                result.takeoverBoundMillis(),
                result.takeoversLate()));
    row("requests that were never decided", "" + result.hung());
    row("claims left behind", "" + result.leftBehind());
    judgement
        .figures()
        .outcomes()
        .forEach(
            (what, count) ->
                row("observations: " + what.name().toLowerCase(Locale.ROOT), "" + count));
  }

  private void promises() {
    say("%n## Promises%n%n");
    say("*Counted* promises have bounds in time, which a busy machine may miss.%n%n");
    say("| promise | | expected not to hold | judged |%n| --- | --- | --- | --- |%n");
    for (Verdict verdict : result.promises()) {
      Promise promise = verdict.promise();
      say(
          "| %s | %s | %d | %s |%n",
          promise.sentence(),
          verdict.word(),
          verdict.expected(),
          verdict.judged() ? "judged" : "counted");
    }
  }

  private void expectations() {
    Map<FaultKind, String> forgets = new TreeMap<>(happened.target().forgets());
    say("%n## What is expected not to hold%n%n");
    say("- after *break*, until the holder must have noticed: exclusion, order of tokens.%n");
    forgets.forEach(
        (kind, why) ->
            say(
                "- after *%s*, likewise: exclusion, order of tokens of claims from before, minHold:"
                    + " %s.%n",
                kind.title(), why));
    if (forgets.isEmpty()) {
      say("- after any other fault: nothing. Every promise is judged.%n");
    }
    say(
        "%nThe fence is judged always: no stale write may be accepted, whatever the store forgot.%n");
  }

  private void faults() {
    say("%n## Faults%n%n| fault | times | |%n| --- | --- | --- |%n");
    for (FaultKind kind : FaultKind.values()) {
      Long count = result.faults().get(kind.title());
      String why = result.notRun().get(kind.title());
      say(
          "| %s | %s | %s |%n",
          kind.title(),
          count == null ? "not run" : "" + count,
          why == null ? kind.sentence() : why);
    }
    List<CausedFault> failed = happened.faults().stream().filter(fault -> !fault.caused()).toList();
    if (!failed.isEmpty()) {
      say("%nPlanned and not caused:%n%n");
      failed.stream()
          .collect(
              Collectors.groupingBy(
                  f -> f.kind().title() + ": " + f.note().lines().findFirst().orElse(""),
                  TreeMap::new,
                  Collectors.counting()))
          .forEach((what, count) -> say("- %d × %s%n", count, what));
    }
  }

  private void examples() {
    for (Verdict verdict : result.promises()) {
      for (String example : verdict.examples()) {
        say("%n```text%n%s%n```%n", example);
      }
    }
  }

  private void row(String name, String value) {
    say("| %s | %s |%n", name, value);
  }

  private void say(String format, Object... values) {
    text.append(String.format(Locale.ROOT, format, values));
  }
}
