package dev.holdfast.engine.callback;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Daemon threads for the caller's code: virtual ones where the JVM has them. As many as wait for
 * each other at a time, because with any fixed number the one that they all wait for could find no
 * thread; so there are at most as many as there are requests and leases.
 */
public final class Threads implements Executor {

  private final ThreadFactory threads;
  private final @Nullable ThreadPoolExecutor pool; // null if each task has a virtual thread

  public Threads(String name) {
    ThreadFactory virtual = virtualThreads(name);
    threads = virtual != null ? virtual : task -> daemon(task, name);
    pool =
        virtual != null
            ? null
            : new ThreadPoolExecutor(
                0, Integer.MAX_VALUE, 5, TimeUnit.SECONDS, new SynchronousQueue<>(), threads);
  }

  @Override
  public void execute(Runnable task) {
    try {
      if (pool != null) {
        pool.execute(task);
        return;
      }
    } catch (RejectedExecutionException closed) {
      // A decision that reaches nobody is worse than one more thread.
    }
    threads.newThread(task).start();
  }

  /** Waits for no task; keeps no idle thread. */
  public void close() {
    if (pool != null) {
      pool.shutdown();
    }
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
