package dev.holdfast.testkit.explorer;

import dev.holdfast.ClaimInfo;
import dev.holdfast.Holdfast;
import dev.holdfast.Kind;
import dev.holdfast.LeakReports;
import dev.holdfast.Lease;
import dev.holdfast.LockInfo;
import dev.holdfast.memory.MemoryLockStore;
import dev.holdfast.memory.MemorySpace;
import dev.holdfast.spi.LockStore;
import dev.holdfast.testkit.ManualTicker;
import dev.holdfast.testkit.explorer.Caller.Stage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A world that lives: real clients on one memory space, one ticker, and threads of which one runs
 * at a time. The methods are its events. Not thread-safe.
 */
final class Run {

  static final String LOCK = "x";
  private static final int COMEBACKS = 6;
  private static final Duration PACE = Duration.ofMillis(50);
  private static final Duration OUTAGE = World.TTL.multipliedBy(3).dividedBy(2);

  final World world;
  final ManualTicker ticker = new ManualTicker();
  final List<Wire> wires = new ArrayList<>();
  final List<Holdfast> clients = new ArrayList<>();
  final List<Caller> callers = new ArrayList<>();
  final boolean[] closed;
  final long[] floors;
  final boolean[] broken; // whether a break was meant for a claim of this client
  final Duration margin;
  final Hands hands;
  final Actions actions;
  private final LockStore operator;
  private final Checks checks;
  private final HoldChecks holds;
  private final KeptChecks kept;

  // Mutable state
  int faults;
  boolean hintLost;
  boolean stale; // a request arrived after its time-out
  long longestWay;
  @Nullable Violation violation;

  Run(World world, Hands hands) {
    this.world = world;
    this.hands = hands;
    this.margin = world.options().ttl().minus(world.options().validFor());
    this.closed = new boolean[world.clients()];
    this.floors = new long[world.clients()];
    this.broken = new boolean[world.clients()];
    MemorySpace space = new MemorySpace();
    this.operator = new MemoryLockStore(space, ticker);
    for (int i = 0; i < world.clients(); i++) {
      Wire wire = new Wire(i, ticker);
      wires.add(wire);
      clients.add(
          Holdfast.builder()
              .store(new WireStore(wire, new MemoryLockStore(space, ticker)))
              .ticker(ticker)
              .executor(Runnable::run)
              .leakReports(LeakReports.OFF)
              .clientName("client " + i)
              .operationTimeout(World.OPERATION_TIMEOUT)
              .build());
    }
    for (Wish wish : world.wishes()) {
      boolean exclusive =
          world.kind() == Kind.MUTEX || (world.kind() == Kind.READ_WRITE && wish.weight() > 1);
      callers.add(new Caller("caller " + callers.size(), wish, exclusive));
    }
    this.holds = new HoldChecks(this);
    this.kept = new KeptChecks(this);
    this.checks = new Checks(this, holds, kept);
    this.actions = new Actions(this, holds);
    if (world.kept()) {
      comeBack();
    }
  }

  /** Client 0 acquires and releases until it keeps its claim. */
  private void comeBack() {
    Wire wire = wires.get(0);
    wire.mode = Wire.Mode.AT_ONCE;
    for (int i = 0; i < COMEBACKS; i++) {
      begin();
      Wish wish = world.kind() == Kind.READ_WRITE ? Wish.waiting(0).weighing(2) : Wish.waiting(0);
      Lease lease = Requests.later(this, wish).join();
      var unused = lease.releaseAsync().join();
    }
    wire.mode = Wire.Mode.UNDER_WAY;
    if (stored().holders().stream().noneMatch(ClaimInfo::keepable)) {
      throw new IllegalStateException("client 0 does not keep " + stored());
    }
  }

  /** Returns whether a claim was made by this client. */
  static boolean isOf(ClaimInfo claim, int client) {
    return claim.owner().label().equals("client " + client);
  }

  /** What the store has. */
  LockInfo stored() {
    return operator.inspect(LOCK).toCompletableFuture().join();
  }

  boolean isQuiet() {
    return wires.stream().allMatch(wire -> wire.messages.isEmpty());
  }

  /** Returns whether every message has arrived so far, in time and once. */
  boolean isFaultless() {
    return !hintLost && !stale && wires.stream().noneMatch(wire -> wire.unsettled);
  }

  long now() {
    return ticker.nanoTime();
  }

  void violated(Invariant invariant, String what) {
    if (violation == null) {
      violation = new Violation(invariant, what, List.of());
    }
  }

  /** The leaves that have waited for an answer for half an operation time-out, for traces. */
  List<String> missing() {
    long half = World.OPERATION_TIMEOUT.toNanos() / 2;
    List<String> lines = new ArrayList<>();
    for (Wire wire : wires) {
      for (List<Message> some : List.of(wire.messages, wire.lost)) {
        for (Message message : some) {
          if (message.verb.equals("leave") && now() - message.sent >= half) {
            lines.add("no answer yet: leave of client " + wire.client);
          }
        }
      }
    }
    return lines;
  }

  void begin() {
    wires.forEach(Wire::begin);
  }

  /** Looks at the state after an event. */
  void look() {
    checks.look();
  }

  /** Everything has happened: lets the timers run out, and looks at what is left. */
  void finish() {
    wires.stream().filter(wire -> !closed[wire.client]).forEach(this::reconnect);
    boolean expired = false;
    for (int i = 0; i < 300 && violation == null; i++) {
      begin();
      Message next = oldest();
      if (next != null) {
        arrive(next);
      } else {
        Caller holder = holder();
        if (holder != null) {
          release(holder);
        } else if (!ticker.advanceToNext()) {
          if (expired) {
            checks.atTheEnd();
            return;
          }
          expired = true;
          ticker.advance(World.TTL.multipliedBy(2)); // what a lost message has left there dies
        }
      }
      look();
    }
    if (violation == null) {
      violated(Invariant.BOUNDED_WORK, "the run does not end");
    }
  }

  @Nullable Message oldest() {
    Message oldest = null;
    for (Wire wire : wires) {
      for (Message message : wire.messages) {
        if (oldest == null || message.sent - oldest.sent < 0) {
          oldest = message;
        }
      }
    }
    return oldest;
  }

  @Nullable Caller holder() {
    for (Caller caller : callers) {
      if (caller.stage == Stage.HOLDING) {
        return caller;
      }
    }
    return null;
  }

  // ---------------------------------------------------------------- events of callers

  void submit(Caller caller) {
    caller.stage = Stage.WAITING;
    caller.askedAt = now();
    if (caller.wish.thread() > 0) {
      actions.enter(caller);
      return;
    }
    String before = Thread.currentThread().getName();
    Thread.currentThread().setName(caller.name); // the claim's owner shows it
    try {
      CompletableFuture<@Nullable Lease> request = Requests.later(this, caller.wish);
      caller.request = request;
      var unused = request.whenComplete((lease, failure) -> gotOutcome(caller, lease, failure));
    } catch (IllegalStateException refused) {
      gotOutcome(caller, null, refused);
    } finally {
      Thread.currentThread().setName(before);
    }
  }

  void gotOutcome(Caller caller, @Nullable Lease lease, @Nullable Throwable failure) {
    if (caller.stage != Stage.WAITING) {
      return; // cancelled
    }
    if (lease != null) {
      caller.stage = Stage.HOLDING;
      caller.lease = lease;
      caller.heldSince = now();
      checks.granted(caller, lease);
    } else {
      caller.stage = Stage.DONE;
      checks.refused(caller, failure);
    }
  }

  void cancel(Caller caller) {
    caller.stage = Stage.DONE;
    if (caller.request != null) {
      caller.request.cancel(true);
    }
  }

  void release(Caller caller) {
    holds.releasing(caller);
    caller.stage = Stage.DONE;
    if (caller.lease != null) {
      caller.release = caller.lease.releaseAsync();
    }
  }

  // ---------------------------------------------------------------- events of messages

  void arrive(Message message) {
    Wire wire = wires.get(message.client);
    if (message.arrived) {
      wire.messages.remove(message);
      if (message.isHint()) {
        heardOfBreak(message.client);
      }
      message.answer();
      return;
    }
    long way = now() - message.sent;
    longestWay = Math.max(longestWay, way);
    stale |= way >= World.OPERATION_TIMEOUT.toNanos();
    message.arrive();
  }

  private void heardOfBreak(int client) {
    for (Caller caller : callers) {
      if (caller.client == client) {
        caller.brokenAt = now();
      }
    }
  }

  /** A request at once; the second copy of an answer stays under way. */
  void arriveTwice(Message message) {
    faults++;
    if (message.arrived) {
      if (message.isHint()) {
        heardOfBreak(message.client);
      }
      message.answer();
    } else {
      arrive(message);
      message.arriveAgain();
    }
  }

  void lose(Message message) {
    faults++;
    hintLost |= message.isHint();
    wires.get(message.client).lose(message);
  }

  void refuse(Message message) {
    faults++;
    wires.get(message.client).refuse(message);
  }

  // ---------------------------------------------------------------- time and incidents

  void advance(Duration by) {
    Duration left = by;
    while (!left.isZero() && violation == null) {
      Duration part = left.compareTo(PACE) < 0 ? left : PACE;
      begin();
      ticker.advance(part);
      left = left.minus(part);
      look();
    }
  }

  void breakLock() {
    LockInfo stored = stored();
    for (Caller caller : callers) {
      broken[caller.wish.client()] |= Checks.has(stored.holders(), caller);
      if (caller.stage == Stage.HOLDING || caller.stage == Stage.DETACHED) {
        caller.broken = true;
        caller.brokenAt = now();
      }
    }
    holds.broken();
    operator.evict(LOCK, LockStore.ANY_TOKEN);
  }

  void raiseFloor(int client) {
    long highest = checks.highestToken();
    floors[client] = highest + 5;
    clients.get(client).raiseFloor(LOCK, floors[client]);
  }

  void cutOff(int client) {
    Wire wire = wires.get(client);
    wire.cutOff();
    ticker.schedule(OUTAGE, () -> reconnect(wire));
  }

  void refuseAll(int client) {
    Wire wire = wires.get(client);
    wire.mode = Wire.Mode.REFUSED;
    ticker.schedule(OUTAGE, () -> reconnect(wire));
  }

  private void reconnect(Wire wire) {
    wire.mode = closed[wire.client] ? Wire.Mode.CUT_OFF : Wire.Mode.UNDER_WAY;
  }

  /** Its leaves arrive at once: a client waits for them, and nothing else would run meanwhile. */
  void close(int client) {
    Wire wire = wires.get(client);
    boolean lost = false;
    for (Caller caller : callers) {
      boolean held = caller.client == client && caller.stage == Stage.HOLDING;
      lost |= held && !caller.isValid();
    }
    wire.mode = Wire.Mode.AT_ONCE;
    for (Message message : List.copyOf(wire.messages)) {
      if (message.verb.equals("leave")) {
        if (!message.arrived) {
          arrive(message);
        }
        arrive(message);
      }
    }
    for (Message message : List.copyOf(wire.lost)) {
      message.fail(Wire.refusal());
    }
    closed[client] = true;
    clients.get(client).close();
    wire.mode = Wire.Mode.CUT_OFF;
    wire.messages.removeIf(message -> message.arrived);
    for (Caller caller : callers) {
      if (caller.client == client && caller.stage == Stage.HOLDING) {
        caller.stage = Stage.DONE;
      }
    }
    checks.closed(client, lost);
  }
}
