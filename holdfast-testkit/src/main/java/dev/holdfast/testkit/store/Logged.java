package dev.holdfast.testkit.store;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/**
 * Keeps what one class of a store logs, as people read it, and shows it nowhere else. Thread-safe.
 */
public final class Logged extends Handler implements AutoCloseable {

  private final Logger logger;
  private final List<String> texts = new CopyOnWriteArrayList<>();

  private Logged(Logger logger) {
    this.logger = logger;
  }

  /** Keeps what is logged at this level or above it, until it is closed. */
  public static Logged by(Class<?> type, Level level) {
    Logged logged = new Logged(Logger.getLogger(type.getName()));
    logged.logger.addHandler(logged);
    logged.logger.setLevel(level);
    logged.logger.setUseParentHandlers(false);
    return logged;
  }

  /**
   * @return what was logged so far
   */
  public List<String> texts() {
    return texts;
  }

  @Override
  public void publish(LogRecord logged) {
    texts.add(new SimpleFormatter().formatMessage(logged));
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
    logger.setLevel(null);
    logger.setUseParentHandlers(true);
  }
}
