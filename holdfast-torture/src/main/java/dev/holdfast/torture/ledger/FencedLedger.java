package dev.holdfast.torture.ledger;

import dev.holdfast.Fence;
import dev.holdfast.Mode;
import dev.holdfast.Proof;
import dev.holdfast.StaleTokenException;
import dev.holdfast.testkit.promise.Construct;
import dev.holdfast.testkit.promise.What;
import dev.holdfast.torture.history.HistoryFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The resource that the locks protect: it takes writes with a proof, each in one step with the
 * check of a fence. A write may be late, as one is that lies in a network's queue: it is carried
 * out when its time has come, whatever has become of its sender. Thread-safe.
 *
 * <pre>
 * ENTER PROOF          OK or STALE
 * WRITE PROOF MILLIS   OK or STALE; TAKEN if it is to be carried out later
 * BARE PROOF MILLIS    the same without a fence, as a careless resource would
 * </pre>
 *
 * <p>The words of a line are separated by tabs.
 */
public final class FencedLedger implements AutoCloseable {

  private static final String NAME = "ledger";

  private final Fence fence = Fence.inMemory();
  private final HistoryFile history;
  private final ServerSocket listener;
  private final ScheduledExecutorService network =
      Executors.newSingleThreadScheduledExecutor(task -> daemon("ledger-network", task));
  private final Set<Socket> senders = ConcurrentHashMap.newKeySet();
  private final ReentrantLock lock = new ReentrantLock();

  private FencedLedger(HistoryFile history, ServerSocket listener) {
    this.history = history;
    this.listener = listener;
  }

  /** Opens it; its history goes into this folder. */
  public static FencedLedger open(Path folder) throws IOException {
    FencedLedger ledger =
        new FencedLedger(
            HistoryFile.create(folder, NAME),
            new ServerSocket(0, 0, InetAddress.getLoopbackAddress()));
    daemon("ledger", ledger::accept).start();
    return ledger;
  }

  public int port() {
    return listener.getLocalPort();
  }

  @Override
  public void close() throws IOException {
    listener.close();
    network.shutdownNow();
    for (Socket sender : senders) {
      sender.close();
    }
    lock.lock(); // after the write that is under way
    try {
      history.close();
    } finally {
      lock.unlock();
    }
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket sender = listener.accept();
        senders.add(sender);
        daemon("ledger-sender", () -> serve(sender)).start();
      } catch (IOException closed) {
        // The loop asks whether that was meant.
      }
    }
  }

  private void serve(Socket sender) {
    try (sender;
        BufferedReader lines =
            new BufferedReader(
                new InputStreamReader(sender.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String answer = carryOut(line.split("\t"));
        sender.getOutputStream().write((answer + "\n").getBytes(StandardCharsets.UTF_8));
      }
    } catch (IOException | UncheckedIOException gone) {
      // A worker that is killed breaks its connection.
    } finally {
      senders.remove(sender);
    }
  }

  private String carryOut(String[] words) {
    Proof proof = Proof.parse(words[1]);
    if (words[0].equals("ENTER")) {
      return step(What.ENTERED, proof, true, "");
    }
    boolean fenced = words[0].equals("WRITE");
    long millis = Long.parseLong(words[2]);
    if (millis == 0) {
      return step(What.WROTE, proof, fenced, "");
    }
    network.schedule(() -> step(What.WROTE, proof, fenced, "late"), millis, TimeUnit.MILLISECONDS);
    return "TAKEN";
  }

  private String step(What done, Proof proof, boolean fenced, String note) {
    lock.lock();
    try {
      if (done == What.ENTERED) {
        fence.enter(proof);
      } else if (fenced) {
        fence.check(proof);
      }
      record(done, proof, note);
      return "OK";
    } catch (StaleTokenException stale) {
      record(What.STALE, proof, done == What.ENTERED ? "entry" : note);
      return "STALE";
    } finally {
      lock.unlock();
    }
  }

  private void record(What what, Proof proof, String text) {
    Construct construct = proof.mode() == Mode.SHARED ? Construct.READ : Construct.WRITE;
    history.append(NAME, what, construct, proof.lock(), 0, proof.token(), text);
  }

  private static Thread daemon(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }
}
