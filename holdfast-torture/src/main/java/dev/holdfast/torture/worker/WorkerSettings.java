package dev.holdfast.torture.worker;

import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;

/**
 * What a worker process needs to know, in a file that only we can read: its URL may hold a
 * password.
 *
 * @param source its name in the history
 * @param url the store, through the worker's own network
 * @param history the folder of the history
 * @param ledger the port of the ledger
 * @param ttl the ttl of its leases
 * @param until the file that says when it stops asking for locks, by {@link System#nanoTime}; it
 *     comes when all workers are ready
 * @param seed of its choices
 * @param plant what it does wrong on purpose
 */
public record WorkerSettings(
    String source,
    String url,
    Path history,
    int ledger,
    Duration ttl,
    Path until,
    long seed,
    Plant plant) {

  /** Reads what {@link #write} has written. */
  static WorkerSettings read(Path file) throws IOException {
    Properties all = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      all.load(reader);
    }
    return new WorkerSettings(
        all.getProperty("source"),
        all.getProperty("url"),
        Path.of(all.getProperty("history")),
        Integer.parseInt(all.getProperty("ledger")),
        Duration.parse(all.getProperty("ttl")),
        Path.of(all.getProperty("until")),
        Long.parseLong(all.getProperty("seed")),
        Plant.valueOf(all.getProperty("plant")));
  }

  /** Writes them to a file. */
  public void write(Path file) throws IOException {
    Properties all = new Properties();
    all.setProperty("source", source);
    all.setProperty("url", url);
    all.setProperty("history", history.toString());
    all.setProperty("ledger", Integer.toString(ledger));
    all.setProperty("ttl", ttl.toString());
    all.setProperty("until", until.toString());
    all.setProperty("seed", Long.toString(seed));
    all.setProperty("plant", plant.name());
    try (Writer writer = Files.newBufferedWriter(file)) {
      all.store(writer, null);
    }
  }
}
