package dev.holdfast.engine;

import dev.holdfast.Holdfast;
import dev.holdfast.LockEvent;
import dev.holdfast.memory.MemoryLockStore;
import dev.holdfast.memory.MemorySpace;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Two clients of one memory space, made through the public API, whose time is moved by hand. What
 * the store of the first one answers is up to the test; the other one's always answers.
 */
final class Clients implements AutoCloseable {

  static final Duration OPERATION_TIMEOUT = Duration.ofSeconds(5);

  final HandTicker ticker = new HandTicker();
  final List<LockEvent> events = Collections.synchronizedList(new ArrayList<>());
  final SilentStore faults;
  final CountingStore store;
  final Holdfast client;
  final Holdfast other;

  private Clients(UnaryOperator<LockStore> store, UnaryOperator<Ticker> time) {
    MemorySpace space = new MemorySpace();
    this.faults = new SilentStore(new MemoryLockStore(space, ticker));
    this.store = new CountingStore(store.apply(faults));
    this.client = builder(this.store, time.apply(ticker)).listener(events::add).build();
    this.other = builder(new MemoryLockStore(space, ticker), ticker).build();
  }

  static Clients plain() {
    return new Clients(store -> store, time -> time);
  }

  /** The first one's store is this one around the memory store. */
  static Clients on(UnaryOperator<LockStore> store) {
    return new Clients(store, time -> time);
  }

  /** The first one reads its clock through this one. */
  static Clients reading(UnaryOperator<Ticker> time) {
    return new Clients(store -> store, time);
  }

  private static Holdfast.Builder builder(LockStore on, Ticker time) {
    return Holdfast.builder()
        .store(on)
        .ticker(time)
        .executor(Runnable::run)
        .operationTimeout(OPERATION_TIMEOUT);
  }

  void advance(Duration time) {
    ticker.advance(time);
  }

  /** The events of this type at the first one's listener. */
  List<LockEvent> events(LockEvent.Type type) {
    return List.copyOf(events).stream().filter(event -> event.type() == type).toList();
  }

  @Override
  public void close() {
    faults.setAll(SilentStore.Manner.ANSWERS);
    ticker.advance(OPERATION_TIMEOUT); // whatever was never answered is given up on
    client.close();
    other.close();
  }
}
