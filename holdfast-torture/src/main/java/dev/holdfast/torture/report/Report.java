package dev.holdfast.torture.report;

import com.google.gson.Gson;
import dev.holdfast.testkit.promise.Observation;
import dev.holdfast.torture.judge.Judgement;
import dev.holdfast.torture.nemesis.CausedFault;
import dev.holdfast.torture.nemesis.Happened;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** Writes what a run found: report.md, result.json, faults.json and timeline-*.svg. */
public final class Report {

  /** The file of a {@link Result}. */
  public static final String RESULT = "result.json";

  private Report() {}

  /** Writes everything into a folder, the result last. */
  public static Result write(
      Path folder, Happened happened, Judgement judgement, List<Observation> observations)
      throws IOException {
    Result result = Result.of(happened, judgement);
    int pages = timelines(folder, happened, observations);
    faults(folder, happened);
    Files.writeString(
        folder.resolve("report.md"), new Markdown(happened, judgement, result, pages).text());
    result.write(folder.resolve(RESULT));
    return result;
  }

  private static int timelines(Path folder, Happened happened, List<Observation> observations)
      throws IOException {
    List<Hold> holds = Hold.of(observations);
    int page = 0;
    for (long from = happened.start(); from < happened.end(); from += Timeline.PAGE) {
      page++;
      String title =
          "%s, seed %d, page %d"
              .formatted(happened.target().title(), happened.options().seed(), page);
      Files.writeString(
          folder.resolve(String.format(Locale.ROOT, "timeline-%02d.svg", page)),
          Timeline.page(
              title,
              happened.start(),
              from,
              holds,
              happened.faults(),
              happened.options().workers()));
    }
    return page;
  }

  /** One line for each: when, what, to whom. */
  private static void faults(Path folder, Happened happened) throws IOException {
    StringBuilder lines = new StringBuilder();
    for (CausedFault fault : happened.faults()) {
      lines.append(new Gson().toJson(fault)).append('\n');
    }
    Files.writeString(folder.resolve("faults.jsonl"), lines);
  }
}
