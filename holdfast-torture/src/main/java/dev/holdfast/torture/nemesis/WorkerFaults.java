package dev.holdfast.torture.nemesis;

import dev.holdfast.testkit.TcpProxy;
import dev.holdfast.testkit.promise.What;
import dev.holdfast.torture.history.HistoryFile;
import dev.holdfast.torture.store.FaultKind;
import java.time.Duration;
import java.util.function.Consumer;

/** What can be done to one worker. */
final class WorkerFaults implements Causes {

  private static final Duration TO_BEGIN = Duration.ofSeconds(20);
  private static final int DELAYS = 12; // of a ttl, each way

  private final WorkerPlace worker;
  private final HistoryFile history;

  WorkerFaults(WorkerPlace worker, HistoryFile history) {
    this.worker = worker;
    this.history = history;
  }

  @Override
  public Outcome cause(PlannedFault fault) throws Exception {
    String victim = worker.name();
    long since = System.nanoTime();
    switch (fault.kind()) {
      case WORKER_PAUSE -> {
        worker.pause();
        try {
          Causes.last(fault, since);
        } finally {
          worker.resume();
        }
      }
      case WORKER_KILL -> {
        worker.kill();
        Causes.last(fault, since);
        worker.start();
        worker.isReady(fault.duration().plus(TO_BEGIN)); // if not, the servers are away
      }
      default -> trouble(fault, since);
    }
    return Outcome.done(victim);
  }

  private void trouble(PlannedFault fault, long since) throws InterruptedException {
    say(What.TROUBLE, fault.kind());
    worker.network().all(change(fault));
    try {
      Causes.last(fault, since);
    } finally {
      worker.network().all(TcpProxy::heal);
      say(What.CALM, fault.kind());
    }
  }

  private static Consumer<TcpProxy> change(PlannedFault fault) {
    return switch (fault.kind()) {
      case NETWORK_CUT -> TcpProxy::cut;
      case NETWORK_HANG -> TcpProxy::hang;
      case NETWORK_HALF_OPEN -> TcpProxy::hangAnswers;
      case NETWORK_DELAY -> proxy -> proxy.delay(fault.duration().dividedBy(DELAYS));
      default -> throw new IllegalArgumentException(fault.kind() + " is not for workers");
    };
  }

  private void say(What what, FaultKind kind) {
    worker.clients().forEach(client -> history.append(client, what, "", kind.title()));
  }
}
