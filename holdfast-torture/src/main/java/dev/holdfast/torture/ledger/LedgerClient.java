package dev.holdfast.torture.ledger;

import dev.holdfast.Proof;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** A worker's connection to the {@link FencedLedger}; one for each thread. */
public final class LedgerClient implements AutoCloseable {

  private final Socket socket;
  private final BufferedReader answers;
  private final boolean fenced;

  /**
   * Connects.
   *
   * @param fenced whether writes ask to be checked, as they should
   */
  public LedgerClient(int port, boolean fenced) {
    this.fenced = fenced;
    try {
      socket = new Socket(InetAddress.getLoopbackAddress(), port);
      answers =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException("no ledger", e);
    }
  }

  /** Enters, before the first write; returns whether the token was not refused. */
  public boolean enter(Proof proof) {
    return ask("ENTER\t" + proof).equals("OK");
  }

  /** Writes, now or later; returns false if the token was refused at once. */
  public boolean write(Proof proof, Duration late) {
    String verb = fenced ? "WRITE" : "BARE";
    return !ask(verb + "\t" + proof + "\t" + late.toMillis()).equals("STALE");
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException("the ledger's connection cannot be closed", e);
    }
  }

  private String ask(String line) {
    try {
      socket.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
      String answer = answers.readLine();
      if (answer == null) {
        throw new IOException("the ledger has hung up");
      }
      return answer;
    } catch (IOException e) {
      throw new UncheckedIOException("the ledger does not answer", e);
    }
  }
}
