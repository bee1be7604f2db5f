package dev.holdfast.engine;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Daemon threads for the caller's code, as many as wait for each other at a time: virtual ones
 * where the JVM has them. Beyond {@value #MOST} platform threads tasks wait in a queue, which is
 * bounded by the requests and leases there are.
 */
final class Threads implements Executor {

  private static final int MOST = 512;

  private final @Nullable ThreadFactory virtual;
  private final ThreadPoolExecutor pool;
  private final ExecutorService overflow;

  Threads(String name) {
    virtual = virtualThreads(name);
    ThreadFactory daemons = task -> daemon(task, name);
    overflow = onDemand(daemons);
    pool =
        new ThreadPoolExecutor(
            0,
            MOST,
            5,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            daemons,
            (task, full) -> overflow.execute(() -> waitForThread(task, full)));
  }

  @Override
  public void execute(Runnable task) {
    if (virtual != null) {
      virtual.newThread(task).start();
      return;
    }
    try {
      pool.execute(task);
    } catch (RejectedExecutionException closed) {
      // A decision that nobody hears of is worse than one more thread.
      pool.getThreadFactory().newThread(task).start();
    }
  }

  /** Runs what is queued; takes nothing new. */
  void close() {
    pool.shutdown();
    overflow.shutdown();
  }

  private static void waitForThread(Runnable task, ThreadPoolExecutor full) {
    try {
      if (full.isShutdown() || !full.getQueue().offer(task, 1, TimeUnit.MINUTES)) {
        task.run();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      task.run();
    }
  }

  private static ThreadPoolExecutor onDemand(ThreadFactory factory) {
    ThreadPoolExecutor one =
        new ThreadPoolExecutor(1, 1, 5, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
    one.allowCoreThreadTimeOut(true);
    return one;
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  /** The bytecode is that of Java 17, so this is found at run time. */
  private static @Nullable ThreadFactory virtualThreads(String name) {
    if (Runtime.version().feature() < 21) {
      return null;
    }
    try {
      MethodHandles.Lookup lookup = MethodHandles.publicLookup();
      Class<?> ofVirtual = Class.forName("java.lang.Thread$Builder$OfVirtual");
      Class<?> builder = Class.forName("java.lang.Thread$Builder");
      Object made =
          lookup.findStatic(Thread.class, "ofVirtual", MethodType.methodType(ofVirtual)).invoke();
      Object named =
          lookup
              .findVirtual(builder, "name", MethodType.methodType(builder, String.class))
              .invoke(made, name);
      return (ThreadFactory)
          lookup
              .findVirtual(builder, "factory", MethodType.methodType(ThreadFactory.class))
              .invoke(named);
    } catch (Throwable unavailable) {
      return null; // platform threads do as well
    }
  }
}
