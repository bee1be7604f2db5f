package dev.holdfast.engine;

import java.util.ArrayDeque;

/**
 * Answers that arrive while their thread carries out effects. They are handled when the call that
 * brought them has returned, so that answers are never handled recursively. One per thread.
 */
final class Inbox {

  private static final ThreadLocal<Inbox> CURRENT = ThreadLocal.withInitial(Inbox::new);

  // Mutable state
  private final ArrayDeque<Runnable> answers = new ArrayDeque<>(2);
  private boolean open;

  private Inbox() {}

  /** That of the calling thread. */
  static Inbox current() {
    return CURRENT.get();
  }

  /**
   * Begins to keep answers.
   *
   * @return whether the caller is to {@link #drain} it; false if somebody further out is
   */
  boolean open() {
    boolean first = !open;
    open = true;
    return first;
  }

  /** Handles an answer: now, or when the call that brought it has returned. */
  static void handle(Runnable answer) {
    Inbox inbox = CURRENT.get();
    if (inbox.open) {
      inbox.answers.add(answer);
      return;
    }
    inbox.open = true;
    try {
      answer.run();
    } finally {
      inbox.drain();
    }
  }

  /** Handles what was kept, and what that brings. */
  void drain() {
    try {
      Runnable next;
      while ((next = answers.poll()) != null) {
        next.run();
      }
    } finally {
      open = false;
    }
  }

  /** The thread is about to wait inside a call: answers that it holds back must not be missed. */
  static void beforeWaiting() {
    Inbox inbox = CURRENT.get();
    Runnable next;
    while ((next = inbox.answers.poll()) != null) {
      next.run();
    }
  }

  /** Runs the caller's code, which may wait for answers, as if no call were under way. */
  static void outside(Runnable task) {
    Inbox outer = CURRENT.get();
    if (!outer.open) {
      task.run();
      return;
    }
    CURRENT.set(new Inbox());
    try {
      task.run();
    } finally {
      CURRENT.set(outer);
    }
  }
}
