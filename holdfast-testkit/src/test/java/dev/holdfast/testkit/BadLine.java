package dev.holdfast.testkit;

import dev.holdfast.StoreException;
import dev.holdfast.spi.Register;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Stands before a register, counts what is asked, and loses or delays answers. For one thread. */
final class BadLine implements Register {

  private final Register register;
  private final List<String> calls = new ArrayList<>();

  // Mutable state
  private boolean cut;
  private boolean loseNext;
  private @Nullable CompletableFuture<Void> delayNext;
  private @Nullable String hidden;

  BadLine(Register register) {
    this.register = register;
  }

  /** What was called since the last time. */
  List<String> taken() {
    List<String> result = List.copyOf(calls);
    calls.clear();
    return result;
  }

  /** Nothing gets through any more. */
  void cut() {
    cut = true;
  }

  /** The next change happens, but its answer is lost. */
  void loseAnswer() {
    loseNext = true;
  }

  /** The next change happens; its answer comes when the future completes. */
  CompletableFuture<Void> delayAnswer() {
    delayNext = new CompletableFuture<>();
    return delayNext;
  }

  /** As if a change of this key were still on its way. */
  void hide(String key) {
    hidden = key;
  }

  /** It has arrived. */
  void show() {
    hidden = null;
  }

  @Override
  public CompletionStage<Optional<Entry>> read(String key) {
    calls.add("read");
    if (cut) {
      return lost();
    }
    return key.equals(hidden)
        ? CompletableFuture.completedFuture(Optional.empty())
        : register.read(key);
  }

  @Override
  public CompletionStage<OptionalLong> compareAndSet(
      String key, long expected, @Nullable String value, Duration ttl) {
    calls.add("compareAndSet");
    if (cut) {
      return lost();
    }
    CompletionStage<OptionalLong> answer = register.compareAndSet(key, expected, value, ttl);
    if (loseNext) {
      loseNext = false;
      return lost();
    }
    CompletableFuture<Void> delay = delayNext;
    delayNext = null;
    return delay == null ? answer : delay.thenCompose(now -> answer);
  }

  private static <T> CompletionStage<T> lost() {
    return CompletableFuture.failedFuture(new StoreException("", "no answer"));
  }

  @Override
  public void close() {
    register.close();
  }
}
