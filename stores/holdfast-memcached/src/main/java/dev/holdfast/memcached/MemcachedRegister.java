package dev.holdfast.memcached;

import dev.holdfast.Diagnosis;
import dev.holdfast.StoreException;
import dev.holdfast.spi.Register;
import io.netty.channel.EventLoopGroup;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Memcached as a register, by its meta commands: {@code ms} with mode {@code E} (add) or with the
 * compare-and-swap value, {@code mg}, {@code md}. Each is one round trip.
 *
 * <p><b>Versions</b> are the server's start plus its compare-and-swap value: see {@link Session}.
 *
 * <p><b>Expiry.</b> Memcached reads its clock about once a second and drops the fraction, so what
 * it takes for now is up to two seconds ago, and every so often it misses a second and goes on by
 * two. An entry may therefore end two seconds early; hence ttl is rounded up to seconds, and two
 * are added.
 */
final class MemcachedRegister implements Register {

  private final String address;
  private final Servers servers;
  private final Keys keys;
  private final EventLoopGroup loop;

  MemcachedRegister(String address, Servers servers, Keys keys, EventLoopGroup loop) {
    this.address = address;
    this.servers = servers;
    this.keys = keys;
    this.loop = loop;
  }

  @Override
  public CompletionStage<Optional<Entry>> read(String key) {
    String stored = keys.of(key);
    return servers
        .of(stored)
        .with(
            session ->
                session
                    .connection()
                    .ask("mg " + stored + " v c t\r\n")
                    .thenApply(reply -> entry(session, reply)));
  }

  private static Optional<Entry> entry(Session session, Reply reply) {
    return switch (reply.code()) {
      case "EN" -> Optional.empty();
      case "VA" ->
          Optional.of(
              new Entry(
                  reply.body(),
                  session.version(reply.flag('c')),
                  Duration.ofSeconds(Math.max(0, reply.flag('t') - 1))));
      default -> throw reply.unexpected();
    };
  }

  @Override
  public CompletionStage<OptionalLong> compareAndSet(
      String key, long expected, @Nullable String value, Duration ttl) {
    String stored = keys.of(key);
    return servers
        .of(stored)
        .with(
            session -> {
              if (expected != ABSENT && session.cas(expected) <= 0) {
                // Written before the server was started: it is not there any more.
                return CompletableFuture.completedFuture(OptionalLong.empty());
              }
              String condition = expected == ABSENT ? "ME" : "C" + session.cas(expected);
              String command =
                  value == null
                      ? "md " + stored + " " + condition + "\r\n"
                      : set(stored, condition, value, ttl);
              return session
                  .connection()
                  .ask(command)
                  .thenApply(reply -> version(session, reply, value == null));
            });
  }

  private static String set(String key, String condition, String value, Duration ttl) {
    int length = value.getBytes(StandardCharsets.UTF_8).length;
    return "ms "
        + key
        + " "
        + length
        + " "
        + condition
        + " T"
        + seconds(ttl)
        + " c\r\n"
        + value
        + "\r\n";
  }

  /** Rounded up, and two more. */
  static long seconds(Duration ttl) {
    return ttl.toSeconds() + (ttl.getNano() > 0 ? 3 : 2);
  }

  private static OptionalLong version(Session session, Reply reply, boolean deleted) {
    return switch (reply.code()) {
      case "HD" -> OptionalLong.of(deleted ? ABSENT : session.version(reply.flag('c')));
      case "NS", "EX", "NF" -> OptionalLong.empty();
      default -> throw reply.unexpected();
    };
  }

  /**
   * Connects to all servers. One of several may be down: its locks are unknown until it is back.
   *
   * @throws StoreException if a server refuses us, or none answers
   */
  MemcachedRegister opened(Duration timeout) {
    List<CompletableFuture<Optional<Throwable>>> answers =
        servers.all().stream().map(server -> failure(server, timeout)).toList();
    List<Throwable> failures = answers.stream().flatMap(it -> it.join().stream()).toList();
    boolean refused = failures.stream().anyMatch(it -> it.getCause() instanceof StoreException);
    if (refused || failures.size() == answers.size()) {
      close();
      throw worst(failures);
    }
    return this;
  }

  private static CompletableFuture<Optional<Throwable>> failure(Server server, Duration timeout) {
    return server
        .with(session -> CompletableFuture.completedFuture(Optional.<Throwable>empty()))
        .exceptionally(Optional::of)
        .toCompletableFuture()
        .completeOnTimeout(
            Optional.of(new StoreException("", server + ": no answer")),
            timeout.toMillis(),
            TimeUnit.MILLISECONDS);
  }

  /** A refusal says more than silence. */
  private static StoreException worst(List<Throwable> failures) {
    Throwable worst =
        failures.stream()
            .filter(it -> it.getCause() instanceof StoreException)
            .findFirst()
            .orElse(failures.get(0));
    return new StoreException("", String.valueOf(worst.getMessage()), worst);
  }

  @Override
  public String place(String key) {
    return "key " + keys.of(key);
  }

  @Override
  public CompletionStage<Diagnosis> diagnose() {
    return Checkup.of(servers.all());
  }

  @Override
  public void close() {
    servers.all().forEach(Server::close);
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }

  @Override
  public String toString() {
    return address;
  }
}
