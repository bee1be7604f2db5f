package dev.holdfast.jdbc;

import java.text.MessageFormat;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** What a class logs as a warning, as people read it. */
final class Warnings extends Handler implements AutoCloseable {

  private final Logger logger;
  private final List<String> texts = new CopyOnWriteArrayList<>();

  Warnings(Class<?> type) {
    logger = Logger.getLogger(type.getName());
    logger.setLevel(Level.WARNING);
    logger.addHandler(this);
  }

  List<String> texts() {
    return texts;
  }

  @Override
  public void publish(LogRecord logged) {
    texts.add(MessageFormat.format(logged.getMessage(), logged.getParameters()));
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
    logger.setLevel(null);
  }
}
