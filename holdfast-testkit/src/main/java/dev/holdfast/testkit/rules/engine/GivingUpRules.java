package dev.holdfast.testkit.rules.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.StoreException;
import dev.holdfast.testkit.Faults;
import dev.holdfast.testkit.Verb;
import dev.holdfast.testkit.rules.engine.EngineScene.FaultyClient;
import dev.holdfast.testkit.rules.engine.EngineScene.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/** A caller that gives up is out of the queue; a wait ends by its limit, not by an outage. */
public abstract class GivingUpRules extends EngineRules {

  private static final int ROUNDS = 36;
  private static final int TRIES = 2_000;
  private static final int FEWEST_OF_A_THREAD = 4; // however slow the machine is
  private static final int THREADS = 16;
  private static final int CLIENTS = 4;
  private static final int LONGEST_WAIT_MILLIS = 300;
  private static final Duration LONGEST_RUN = Duration.ofSeconds(15);

  /** A machine that stalls is no store that is silent. */
  private static final Duration PATIENT = Duration.ofSeconds(30);

  @SuppressWarnings("NullAway.Init") // JUnit sets it before each test
  private TestReporter reporter;

  @BeforeEach
  void reportTo(TestReporter given) {
    reporter = given;
  }

  @Test
  void thousands_of_timed_tries_give_no_store_exception_on_a_healthy_store() throws Exception {
    String held = scene().name();
    Lease holder = a.lock(held).acquire();
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger tries = new AtomicInteger();
    long end = scene().nanoTime() + LONGEST_RUN.toNanos();
    List<Holdfast> clients = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      clients.add(scene().client(builder -> builder.operationTimeout(PATIENT)));
    }
    List<Task<List<String>>> tasks = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      Holdfast client = clients.get(i % CLIENTS);
      Random random = new Random(i);
      tasks.add(scene().inThread(() -> tryOften(client, held, random, inside, tries, end)));
    }

    List<String> wrong = new ArrayList<>();
    for (Task<List<String>> task : tasks) {
      wrong.addAll(scene().resultInTime(task.result()));
    }

    reporter.publishEntry("timed tries", tries.toString());
    assertThat(wrong).isEmpty();
    assertThat(tries).hasValueBetween(THREADS * FEWEST_OF_A_THREAD, TRIES);
    assertThat(holder.isValid()).isTrue();
    release(holder);
  }

  /** Tries a lock that is held all the time and one that many want; what went wrong. */
  private List<String> tryOften(
      Holdfast client,
      String held,
      Random random,
      AtomicInteger inside,
      AtomicInteger tries,
      long end)
      throws InterruptedException {
    List<String> wrong = new ArrayList<>();
    for (int i = 0; i < TRIES / THREADS; i++) {
      if (i >= FEWEST_OF_A_THREAD && scene().nanoTime() - end >= 0) {
        break;
      }
      boolean contended = i % 2 == 0;
      try (Lease lease = client.lock(contended ? name : held).tryAcquire(wait(random))) {
        if (lease != null) {
          wrong.addAll(contended ? hold(inside) : List.of("a held lock was acquired"));
        }
      } catch (StoreException e) {
        wrong.add(e.toString());
      }
      tries.incrementAndGet();
    }
    return wrong;
  }

  /** Mostly short ones, where the limit meets the answer. */
  private static Duration wait(Random random) {
    double share = random.nextDouble();
    return Duration.ofMillis(2 + Math.round((LONGEST_WAIT_MILLIS - 2) * share * share));
  }

  private List<String> hold(AtomicInteger inside) {
    boolean alone = inside.incrementAndGet() == 1;
    long start = scene().nanoTime();
    while (scene().nanoTime() - start < 2_000_000) { // the work
      LockSupport.parkNanos(200_000);
    }
    inside.decrementAndGet();
    return alone ? List.of() : List.of("two holders at a time");
  }

  @Test
  void after_a_time_out_of_a_waiter_the_next_try_of_another_client_succeeds() throws Exception {
    Holdfast c = scene().client();
    for (int round = 1; round <= ROUNDS; round++) {
      Duration wait = Duration.ofMillis(round);
      Lease held = a.lock(name).acquire();
      Task<Lease> quitter = scene().inThread(() -> b.lock(name).tryAcquire(wait));
      assertThat(scene().resultInTime(quitter.result())).isNull();

      release(held);

      assertThat(isFree(c)).as("free after round %d", round).isTrue();
    }
  }

  @Test
  void after_an_interrupt_of_a_waiter_the_next_try_of_another_client_succeeds() throws Exception {
    Holdfast c = scene().client();
    for (int round = 1; round <= ROUNDS; round++) {
      Lease held = a.lock(name).acquire();
      Task<Lease> quitter = scene().inThread(() -> b.lock(name).acquire());
      if (round % 2 == 0) {
        awaitWaiter();
      }
      scene().soon("it waits", () -> quitter.thread().getState() == Thread.State.WAITING);
      quitter.thread().interrupt();
      assertThat(scene().failureInTime(quitter.result())).isInstanceOf(InterruptedException.class);

      release(held);

      assertThat(isFree(c)).as("free after round %d", round).isTrue();
    }
  }

  @Test
  void after_a_cancellation_another_client_succeeds_within_one_operation_time_out()
      throws Exception {
    Holdfast c = scene().client();
    for (int round = 1; round <= ROUNDS; round++) {
      Lease held = a.lock(name).acquire();
      CompletableFuture<Lease> quitter = b.lock(name).acquireAsync();
      if (round % 2 == 0) {
        awaitWaiter();
      }
      quitter.cancel(true);

      release(held);

      assertThat(scene().timeUntil("another client gets it", () -> isFree(c)))
          .isLessThan(EngineScene.OPERATION_TIMEOUT);
    }
  }

  @Test
  void a_wait_that_the_store_has_confirmed_goes_on_while_the_store_is_silent() throws Exception {
    FaultyClient cut = scene().faulty();
    Lease held = a.lock(name).acquire();
    Task<Lease> waiter = scene().inThread(() -> cut.locks().lock(name).acquire());
    awaitWaiter();
    if (!scene().traits().fair()) {
      scene().eventually("it tries again", () -> cut.store().calls(Verb.JOIN) > 1);
    }

    cut.store().faults(Faults.failing());
    scene().pass(EngineScene.OPERATION_TIMEOUT.dividedBy(4));
    cut.store().faults(Faults.cutOff());
    scene().pass(EngineScene.OPERATION_TIMEOUT.multipliedBy(3).dividedBy(2));
    assertThat(waiter.isDone()).isFalse();
    cut.store().faults(Faults.none());
    release(held);

    Lease lease = scene().resultInTime(waiter.result());
    assertThat(lease.token()).isGreaterThan(held.token());
    release(lease);
  }

  @Test
  void a_first_request_that_is_not_answered_is_unknown_however_long_the_caller_would_wait() {
    FaultyClient cut = scene().faulty();
    for (Faults fault : List.of(Faults.failing(), Faults.mute())) {
      cut.store().faults(fault.on(Verb.JOIN));
      Task<Lease> waiting =
          scene().inThread(() -> cut.locks().lock(scene().name()).acquireUninterruptibly());

      assertThat(scene().failureInTime(cut.locks().lock(name).acquireAsync()))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining(name);
      assertThat(scene().failureInTime(waiting.result())).isInstanceOf(StoreException.class);
    }
    cut.store().faults(Faults.none());
    scene().eventually("what was left behind is cleaned up", () -> isFree(b));
  }
}
