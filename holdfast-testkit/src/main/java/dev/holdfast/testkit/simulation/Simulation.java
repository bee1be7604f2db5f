package dev.holdfast.testkit.simulation;

import dev.holdfast.Candidacy;
import dev.holdfast.ClaimInfo;
import dev.holdfast.Lease;
import dev.holdfast.LeaseHandle;
import dev.holdfast.LockInfo;
import dev.holdfast.LockOptions;
import dev.holdfast.Traits;
import dev.holdfast.spi.LockStore;
import dev.holdfast.testkit.promise.Construct;
import dev.holdfast.testkit.promise.History;
import dev.holdfast.testkit.promise.History.Attempt;
import dev.holdfast.testkit.promise.Observation;
import dev.holdfast.testkit.promise.PromiseChecker;
import dev.holdfast.testkit.promise.Terms;
import dev.holdfast.testkit.promise.Violation;
import dev.holdfast.testkit.promise.What;
import dev.holdfast.testkit.simulation.Holds.Held;
import dev.holdfast.testkit.simulation.Step.Ask;
import dev.holdfast.testkit.simulation.Step.Befall;
import dev.holdfast.testkit.simulation.Step.Event;
import dev.holdfast.testkit.simulation.time.MachineClock;
import dev.holdfast.testkit.simulation.time.Scheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One system that lives through a schedule. The schedule and its seed are the whole run. Not
 * thread-safe.
 */
final class Simulation {

  final Setting setting;
  final Scheduler scheduler = new Scheduler();
  final History history = new History(scheduler::now);
  final Resource resource;
  final Stats stats = new Stats();
  final Holds holds = new Holds();
  final LockOptions options;
  private final Script script;
  private final MachineClock storeClock;
  private final StoreModel model;
  private final List<@Nullable ClientProcess> clients = new ArrayList<>();
  private final Terms terms;

  // Mutable state
  private LockStore operator;
  private int lives;
  private boolean resting;

  private Simulation(Setting setting, Script script) {
    this.setting = setting;
    this.options = LockOptions.defaults().ttl(setting.ttl());
    this.script = script;
    this.storeClock = new MachineClock(scheduler, 1_000_000_000L, 1);
    this.model = setting.store().make(storeClock);
    this.operator = model.open();
    this.resource = new Resource(scheduler, setting.fence().get(), history);
    Traits traits = operator.traits();
    this.terms = setting.terms(traits.expiryLag(), traits.fair());
    for (int i = 0; i < setting.clients(); i++) {
      clients.add(null);
      start(i);
    }
  }

  /** What came of it. */
  record Outcome(List<Observation> observations, List<Violation> violations, Stats stats) {}

  /** Lives through a schedule. */
  static Outcome run(Setting setting, Script script) {
    Simulation simulation = new Simulation(setting, script);
    simulation.live();
    List<Observation> observations = simulation.history.observations();
    return new Outcome(
        observations, PromiseChecker.violations(observations, simulation.terms), simulation.stats);
  }

  private void live() {
    plan(0);
    long end = setting.length().toNanos();
    scheduler.runUntil(end);
    resting = true;
    clients.forEach(this::rest);
    scheduler.runUntil(end + (long) (setting.ttl().toNanos() * 8 / setting.slowest()));
    found();
    stats.ended();
  }

  /** All is well, and nobody wants anything any more. */
  private void rest(@Nullable ClientProcess client) {
    if (client != null && !client.isGone()) {
      runOn(client);
      calm(client);
      for (String lock : List.copyOf(client.candidacies.keySet())) {
        standNoMore(client, lock);
      }
    }
  }

  private void found() {
    for (String lock : Script.LOCKS) {
      LockInfo info = operator.inspect(lock).toCompletableFuture().join();
      List<ClaimInfo> all = new ArrayList<>(info.holders());
      all.addAll(info.waiters());
      for (ClaimInfo claim : all) {
        history.found("store", info.name(), claim.toString());
      }
    }
  }

  // ---------------------------------------------------------------- steps

  /** One step plans the next: with all of them among the tasks, each task would cost more. */
  private void plan(int index) {
    if (index < script.steps().size()) {
      Step step = script.steps().get(index);
      scheduler.at(
          step.at(),
          () -> {
            plan(index + 1);
            happen(step);
          });
    }
  }

  private void happen(Step step) {
    if (step instanceof Step.Break broken) {
      stats.happened("BREAK");
      history.breaks("operator", broken.lock());
      operator.evict(broken.lock(), LockStore.ANY_TOKEN).toCompletableFuture().join();
    } else if (step instanceof Step.Forget) {
      forget();
    } else {
      ClientProcess client = clients.get(step.client());
      if (client == null || client.isGone()) {
        return;
      }
      if (step instanceof Ask ask) {
        client.clock.run(() -> ask(client, ask));
      } else if (step instanceof Befall befall) {
        stats.happened(befall.event() == Event.WEATHER ? befall.weather().name() : befall.event());
        befall(client, befall);
      }
    }
  }

  void ask(ClientProcess client, Ask ask) {
    if (client.isGone() || resting) {
      return;
    }
    if (ask.construct() == Construct.SEVERAL) {
      new Several(this, client, ask).start();
    } else if (ask.deed() == Step.Deed.REENTER) {
      new OwnThread(this, client, ask).enter();
    } else {
      new Caller(this, client, ask).start();
    }
  }

  private void befall(ClientProcess client, Befall befall) {
    switch (befall.event()) {
      case WEATHER -> weather(client, befall);
      case PAUSE, SLEEP -> stop(client, befall);
      case WALL_JUMP -> {
        if (!isSleepHidden(client.sleptUntil)) {
          client.jumpedAt = scheduler.now();
          history.befell(What.TROUBLE, client.name, befall.toString());
          client.clock.jumpWall(befall.length());
          scheduler.after(setting.ttl().toNanos(), () -> calm(client));
        }
      }
      case CRASH -> {
        history.befell(What.CRASHED, client.name, "");
        client.crash();
        holds.forget(client);
        scheduler.after(befall.length(), () -> start(client.index));
      }
      case CLOSE -> client.clock.run(() -> close(client, befall.length()));
      case RETIRE -> client.clock.run(() -> retire(client, befall.length()));
      case STAND -> client.clock.run(() -> stand(client));
      case RESIGN -> client.clock.run(() -> client.candidacies.values().forEach(it -> it.resign()));
      case STAND_NO_MORE ->
          client.clock.run(
              () ->
                  List.copyOf(client.candidacies.keySet())
                      .forEach(lock -> standNoMore(client, lock)));
    }
  }

  /**
   * A wall clock that is set back by as long as its machine slept hides the sleep: only the fence
   * helps then, so one of them is left out.
   */
  private boolean isSleepHidden(long other) {
    return scheduler.now() - other < 2 * setting.ttl().toNanos();
  }

  private void weather(ClientProcess client, Befall befall) {
    history.befell(What.TROUBLE, client.name, befall.weather().toString());
    client.link.weather(befall.weather());
    scheduler.after(befall.length(), () -> calm(client));
  }

  private void calm(ClientProcess client) {
    if (!client.isGone()) {
      client.link.weather(Weather.CALM);
      history.befell(What.CALM, client.name, "");
    }
  }

  private void stop(ClientProcess client, Befall befall) {
    // A sleep and a slow clock use up the same margin: a machine with a slow clock is paused
    // instead.
    boolean sleeps = befall.event() == Event.SLEEP && !client.clock.isSlow();
    if (client.clock.isStopped() || (sleeps && isSleepHidden(client.jumpedAt))) {
      return;
    }
    client.sleptUntil = sleeps ? scheduler.now() + befall.length() : client.sleptUntil;
    history.befell(What.PAUSED, client.name, befall.event().toString());
    client.clock.stop(sleeps);
    scheduler.after(befall.length(), () -> runOn(client));
  }

  private void runOn(ClientProcess client) {
    if (client.clock.isStopped() && !client.isGone()) {
      history.befell(What.RESUMED, client.name, "");
      client.clock.runOn();
    }
  }

  private void start(int index) {
    int life = lives++;
    SplittableRandom random = new SplittableRandom(script.seed() * 31 + life * 7919L + index);
    double rate = script.rate(setting, index);
    // One in four begins shortly before its monotonic clock overflows.
    long start =
        random.nextInt(4) == 0
            ? Long.MAX_VALUE - Duration.ofSeconds(random.nextInt(600)).toNanos()
            : random.nextLong();
    MachineClock clock = new MachineClock(scheduler, start, rate);
    Link link = new Link(scheduler, clock, model.open(), random.nextLong(), stats);
    clients.set(index, new ClientProcess(index, life, clock, link, index == 0 ? this::fail : null));
  }

  /** A leader resigns, and closes its client while it stops. */
  private void retire(ClientProcess client, long pause) {
    for (Candidacy candidacy : List.copyOf(client.candidacies.values())) {
      if (!client.isGone() && candidacy.isLeading()) {
        client.closesAsLeader = () -> close(client, pause);
        candidacy.resign();
      }
    }
  }

  private void close(ClientProcess client, long pause) {
    if (client.isGone()) {
      return;
    }
    holds.release(client);
    client.close();
    history.befell(What.CRASHED, client.name, "closed");
    client.crash();
    holds.forget(client);
    scheduler.after(pause, () -> start(client.index));
  }

  private void stand(ClientProcess client) {
    String lock = Script.ELECTION;
    if (!resting && !client.isGone() && !client.candidacies.containsKey(lock)) {
      Seat seat = new Seat(this, client, lock);
      client.candidacies.put(lock, seat.stand());
    }
  }

  private void standNoMore(ClientProcess client, String lock) {
    var candidacy = client.candidacies.remove(lock);
    if (candidacy != null) {
      client.link.atOnce(candidacy::close);
    }
  }

  private void forget() {
    stats.happened("FORGET");
    history.befell(What.FORGOT, "*", "");
    model.forget();
    operator = model.open();
    for (ClientProcess client : clients) {
      if (client != null && !client.isGone()) {
        client.link.reconnect(model.open());
      }
    }
  }

  /** Something is wrong with the simulation, or with the client in a way that is no promise. */
  private void fail(Throwable why) {
    scheduler.after(
        0,
        () -> {
          throw new IllegalStateException("seed " + script.seed(), why);
        });
  }

  /** A future would keep what its continuation throws to itself. */
  <T extends @Nullable Object> BiConsumer<T, @Nullable Throwable> guarded(
      BiConsumer<T, @Nullable Throwable> continuation) {
    return (value, failure) -> {
      try {
        continuation.accept(value, failure);
      } catch (RuntimeException | Error e) {
        fail(e);
      }
    };
  }

  // ---------------------------------------------------------------- holds

  /** A caller was granted a lease. */
  Held granted(
      ClientProcess client, String lock, Attempt attempt, Lease lease, Construct construct) {
    holds.look(lock);
    stats.granted(construct);
    if (lease.isValid()) {
      attempt.granted(lease.token());
    } else { // it was over when its caller learned of it
      attempt.granted(lease.token(), scheduler.now());
    }
    return holds.add(client, lock, attempt, lease);
  }

  /** Looks at a hold when its maxHold must be over. */
  void lookLater(Held hold, long maxHold) {
    scheduler.after(
        terms.most(maxHold) + 1_000_000,
        () -> {
          if (!hold.client.isGone() && holds.has(hold)) {
            hold.look();
            if (!hold.isOver()) {
              hold.attempt.valid(Observation.UNTIL_TOLD);
            }
          }
        });
  }

  /** Another client goes on with a detached lease, after a while. */
  void attachLater(LeaseHandle handle, Ask ask) {
    int other = attachingClient(ask.seed(), setting);
    scheduler.after(
        attachPause(ask.seed(), setting),
        () -> {
          ClientProcess client = clients.get(other);
          if (client != null) {
            client.clock.run(
                () -> {
                  if (!client.isGone()) {
                    Caller.attach(this, client, handle, ask);
                  }
                });
          }
        });
  }

  /** {@return which client attaches what a caller with this seed detaches} */
  static int attachingClient(long seed, Setting setting) {
    return new SplittableRandom(seed).nextInt(setting.clients());
  }

  /** {@return how long that takes} */
  static long attachPause(long seed, Setting setting) {
    return new SplittableRandom(~seed).nextLong(setting.ttl().toNanos());
  }
}
