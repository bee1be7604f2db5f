package dev.holdfast.cli.run;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A word in the environment of the command by which the watchdog finds its descendants: a process
 * passes its environment on, whatever its group or session. A run within another run has the
 * markers of both, so the outer run finds it too.
 */
public final class RunMarker {

  /** The variable: the markers of all runs that a process is part of, the innermost last. */
  static final String VARIABLE = "HOLDFAST_RUN";

  /** A command that starts itself again and again must not fill its environment. */
  private static final int MOST = 100;

  private final String text = UUID.randomUUID().toString();

  /** The variable's value for the command, given its value for this process. */
  String appendedTo(@Nullable String markers) {
    List<String> all = new ArrayList<>();
    if (markers != null) {
      all.addAll(List.of(markers.split(",")));
    }
    all.add(text);
    return String.join(",", all.subList(Math.max(0, all.size() - MOST), all.size()));
  }

  @Override
  public String toString() {
    return text;
  }
}
