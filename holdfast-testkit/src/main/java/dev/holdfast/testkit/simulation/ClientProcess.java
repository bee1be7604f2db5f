package dev.holdfast.testkit.simulation;

import dev.holdfast.Candidacy;
import dev.holdfast.Holdfast;
import dev.holdfast.LeakReports;
import dev.holdfast.Lease;
import dev.holdfast.LockEvent;
import dev.holdfast.LossReason;
import dev.holdfast.testkit.promise.History.Attempt;
import dev.holdfast.testkit.simulation.Holds.Held;
import dev.holdfast.testkit.simulation.time.MachineClock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One life of a client: a process with its clock, its network and its locks. Not thread-safe. */
final class ClientProcess {

  final int index;
  final String name;
  final MachineClock clock;
  final Link link;
  final Holdfast locks;
  private final List<String> begun = new ArrayList<>(); // a broken engine may repeat a token
  private final Set<String> released = new HashSet<>();

  // Mutable state
  final Map<String, Candidacy> candidacies = new HashMap<>();
  final ArrayDeque<Lease> entries = new ArrayDeque<>(); // of the thread, into one lock
  @Nullable Attempt entered;
  @Nullable Held enteredHold;
  boolean unbound; // the thread may not enter that lock again
  long enteredKept; // for how long the entries want it kept
  Runnable closesAsLeader = () -> {}; // when its leadership ends
  int callers;
  long sleptUntil = Long.MIN_VALUE / 2;
  long jumpedAt = Long.MIN_VALUE / 2;
  private boolean gone;

  /**
   * @param trouble takes what a listener finds wrong, whose exceptions would be its own affair;
   *     null for a client without a listener
   */
  ClientProcess(
      int index,
      int life,
      MachineClock clock,
      Link link,
      @Nullable Consumer<RuntimeException> trouble) {
    this.index = index;
    this.name = "c" + index + "." + life;
    this.clock = clock;
    this.link = link;
    Holdfast.Builder builder =
        Holdfast.builder()
            .store(link)
            .ticker(clock)
            .executor(this::callBack)
            .clientName(name)
            .leakReports(LeakReports.OFF)
            .operationTimeout(Setting.OPERATION_TIMEOUT);
    this.locks =
        (trouble == null ? builder : builder.listener(event -> received(event, trouble))).build();
  }

  /**
   * A lease begins, and ends once; nothing is said of it before and afterwards, but that the store
   * had ended it before its release, if the next one was granted before that was answered. That no
   * token is repeated is for the checker to say.
   */
  private void received(LockEvent event, Consumer<RuntimeException> trouble) {
    String lease = event.lock() + " " + event.token();
    boolean expected =
        switch (event.type()) {
          case GRANTED, HANDED_OFF -> begun.add(lease);
          case RELEASED -> {
            released.add(lease);
            yield begun.remove(lease);
          }
          case LOST ->
              begun.remove(lease)
                  || (event.outcome().equals(LossReason.ENDED_BY_STORE.name())
                      && released.remove(lease));
          case RENEWED, JEOPARDY -> begun.contains(lease);
          case WAIT_STARTED, WAIT_ENDED, STORE_CALL -> true;
        };
    if (!expected) {
      trouble.accept(new IllegalStateException(name + " received out of order: " + event));
    }
  }

  /** Later, unless the thread of the simulation waits for it. */
  private void callBack(Runnable task) {
    if (link.isAtOnce()) {
      task.run();
    } else {
      clock.soon(task);
    }
  }

  /** A name for one more caller. */
  String caller() {
    return name + "/" + ++callers;
  }

  boolean isGone() {
    return gone;
  }

  /** Ends, and leaves what it had to the store. */
  void crash() {
    gone = true;
    clock.die();
  }

  /** Ends, and gives back what it had. */
  void close() {
    gone = true;
    link.atOnce(locks::close);
  }
}
