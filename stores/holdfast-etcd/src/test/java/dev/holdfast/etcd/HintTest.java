package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.holdfast.Kind;
import dev.holdfast.Owner;
import dev.holdfast.spi.Claim;
import io.etcd.jetcd.api.Event;
import io.etcd.jetcd.api.KeyValue;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class HintTest {

  private static final Owner OWNER = new Owner("host", 1, "thread", "client", "");

  private final AtomicInteger wakes = new AtomicInteger();

  @Test
  void whoever_needs_it_all_is_woken_by_the_one_before_it() {
    Hint hint = hint(Kind.MUTEX, 1, 1, 1);

    assertThat(hint.next()).isNull();

    hint.happened(deleted(0));

    assertThat(wakes).hasValue(1);
    assertThat(hint.next()).isNotNull();
  }

  @Test
  void whoever_is_woken_because_the_stream_broke_is_not_taken_for_the_next() {
    Hint hint = hint(Kind.MUTEX, 1, 1, 1);

    hint.interrupted();

    assertThat(wakes).hasValue(1);
    assertThat(hint.next()).isNull();
  }

  @Test
  void a_permit_is_woken_once_there_is_room_and_not_before() {
    Hint hint = hint(Kind.SEMAPHORE, 2, 3, 4);

    hint.happened(deleted(0));
    hint.happened(deleted(1));
    assertThat(wakes).hasValue(0);

    hint.happened(deleted(2));
    assertThat(wakes).hasValue(1);
  }

  @Test
  void two_streams_may_speak_at_once() throws Exception {
    int half = 2_000;
    Hint hint = hint(Kind.SEMAPHORE, 1, 1_000_000, 2 * half);
    CyclicBarrier start = new CyclicBarrier(2);

    CompletableFuture<Void> one = CompletableFuture.runAsync(() -> delete(hint, start, 0, half));
    CompletableFuture<Void> two =
        CompletableFuture.runAsync(() -> delete(hint, start, half, 2 * half));

    CompletableFuture.allOf(one, two).get(60, TimeUnit.SECONDS);
    assertThat(wakes).hasValue(2 * half);
  }

  private static void delete(Hint hint, CyclicBarrier start, int from, int to) {
    try {
      start.await();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
    IntStream.range(from, to).forEach(number -> hint.happened(deleted(number)));
  }

  private Hint hint(Kind kind, int weight, int capacity, int ahead) {
    Claim claim =
        new Claim("id", "lock", kind, weight, capacity, OWNER, Duration.ofSeconds(9), null, 0, 0);
    List<Entry> entries =
        IntStream.range(0, ahead).mapToObj(number -> entry(kind, number, capacity)).toList();
    return new Hint(
        claim,
        Scope.deletionOf(key(0)),
        entry(kind, -1, capacity),
        entries,
        wakes::incrementAndGet);
  }

  private static Entry entry(Kind kind, int number, int capacity) {
    return new Entry(key(number), "id", 1, 1, 1, kind, 1, capacity, false, 0, OWNER, null);
  }

  private static Event deleted(int number) {
    return Event.newBuilder()
        .setType(Event.EventType.DELETE)
        .setKv(KeyValue.newBuilder().setKey(key(number)))
        .build();
  }

  private static ByteString key(int number) {
    return ByteString.copyFromUtf8("key " + number);
  }
}
