package dev.holdfast.cli.watch;

import dev.holdfast.ClaimInfo;
import dev.holdfast.LockInfo;
import dev.holdfast.PrintableText;
import dev.holdfast.StoreException;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.Durations;
import dev.holdfast.cli.output.LockText;
import dev.holdfast.cli.output.Style;
import dev.holdfast.cli.output.Table;
import java.io.PrintStream;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * A table at a terminal, redrawn in place. Earlier output stays above it, and the last state stays
 * when it ends.
 */
public final class LiveTable implements WatchView {

  private static final String CSI = "\u001b[";
  private static final String ERASE_LINE = CSI + "K";
  private static final String ERASE_BELOW = CSI + "J";
  // Long lines are cut off: a wrapped line would take two rows, and the cursor would not move up
  // far enough.
  private static final String BEGIN = CSI + "?25l" + CSI + "?7l"; // no cursor, no wrapping
  private static final String END = "\r" + ERASE_LINE + CSI + "?7h" + CSI + "?25h"; // no ^C either
  private static final String CLEAR = CSI + "2J" + CSI + "H";

  private final Console console;
  private final String title;
  private final Style style;
  private final PrintStream out;
  private final TerminalSize size = TerminalSize.follow();

  // Mutable state
  private List<LockInfo> last = List.of();
  private int drawn;

  public LiveTable(String title, Console console) {
    this.console = console;
    this.title = PrintableText.escape(title);
    this.style = console.style();
    this.out = console.out();
    out.print(BEGIN);
  }

  @Override
  public void show(List<LockInfo> locks) {
    last = locks;
    draw(now() + " " + title, style::dim);
  }

  @Override
  public void unknown(StoreException failure) {
    String message =
        PrintableText.escape(console.withoutSecrets(String.valueOf(failure.getMessage())));
    draw(now() + " unknown; this was the last answer: " + message, style::red);
  }

  @Override
  public boolean isOpen() {
    return !out.checkError();
  }

  @Override
  public void close() {
    out.print(END);
    out.flush();
  }

  private static String now() {
    return LocalTime.now().truncatedTo(ChronoUnit.SECONDS).format(DateTimeFormatter.ISO_LOCAL_TIME);
  }

  private void draw(String heading, UnaryOperator<String> look) {
    boolean resized = size.look();
    List<String> lines = new ArrayList<>();
    lines.add(look.apply(PrintableText.shorten(heading, size.columns())));
    if (last.isEmpty()) {
      lines.add("no lock is in use");
    } else {
      lines.addAll(table(size.columns()).lines(style));
    }
    int room = size.lines() - 1; // the cursor's own
    if (lines.size() > room) {
      int hidden = lines.size() - room + 1;
      lines = new ArrayList<>(lines.subList(0, Math.max(1, room - 1)));
      lines.add(style.dim("and " + hidden + " more; make the terminal larger, or give a prefix"));
    }
    StringBuilder frame = new StringBuilder();
    if (resized && drawn > 0) {
      frame.append(CLEAR); // the earlier lines may be anywhere now
    } else if (drawn > 0) {
      frame.append(CSI).append(Math.min(drawn, room)).append('A');
    }
    for (String line : lines) {
      // Erased first: in the last column, the terminal would erase what was just written there.
      frame.append('\r').append(ERASE_LINE).append(line).append('\n');
    }
    out.print(frame.append(ERASE_BELOW));
    out.flush();
    drawn = lines.size();
  }

  private Table table(int columns) {
    Table table = new Table("NAME", "HOLDER", "FOR", "LEFT", "WAITING", "TOKEN");
    for (LockInfo lock : last) {
      String waiting = Integer.toString(lock.waiters().size());
      if (!lock.isHeld()) {
        table.row(lock.name(), "-", "-", "-", waiting, "-");
      }
      for (ClaimInfo holder : lock.holders()) {
        table.row(
            lock.name(),
            LockText.claim(holder),
            Durations.format(holder.age()),
            Durations.format(holder.remaining()),
            waiting,
            Long.toString(holder.token()));
      }
    }
    return table.fit(columns);
  }
}
