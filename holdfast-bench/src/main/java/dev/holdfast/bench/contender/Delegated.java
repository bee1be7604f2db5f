package dev.holdfast.bench.contender;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A client that does nothing on the caller's thread but wait, so that the caller could be
 * interrupted or give up.
 *
 * @param client does it
 * @param threads where
 */
public record Delegated(Client client, ExecutorService threads) implements Client {

  /** On this many threads. */
  public static Client of(Client client, int threads) {
    return new Delegated(
        client,
        Executors.newFixedThreadPool(
            threads,
            task -> {
              Thread thread = new Thread(task, "delegated");
              thread.setDaemon(true);
              return thread;
            }));
  }

  @Override
  public Mutex mutex(String name) {
    Mutex mutex = client.mutex(name);
    return () -> {
      Mutex.Hold hold = threads.submit(mutex::acquire).get();
      return new Granted(hold.token(), () -> release(hold));
    };
  }

  private void release(Mutex.Hold hold) throws Exception {
    threads
        .submit(
            () -> {
              hold.release();
              return true;
            })
        .get();
  }

  @Override
  public void close() throws Exception {
    threads.shutdown();
    client.close();
  }
}
