package dev.holdfast.memcached;

import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.testkit.StoreFixture;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/** Stores on real servers that tests share, with the real clock. */
final class MemcachedFixture implements StoreFixture {

  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  private final Ticker ticker = Ticker.system("memcached-fixture");
  private final String url;

  MemcachedFixture(String url) {
    this.url = url;
  }

  @Override
  public LockStore open() {
    return new MemcachedProvider().open(url, new StoreSettings(ticker, TIMEOUT));
  }

  @Override
  public Optional<String> url() {
    return Optional.of(url);
  }

  @Override
  public String damage(String lock, String text) {
    String key = new Keys(Keys.DEFAULT_PREFIX).of(lock);
    String[] address =
        url.substring("memcached://".length()).replaceFirst("[,/?].*", "").split(":");
    byte[] value = text.getBytes(StandardCharsets.UTF_8);
    try (Socket socket = new Socket(address[0], Integer.parseInt(address[1]))) {
      ByteArrayOutputStream command = new ByteArrayOutputStream();
      command.write(
          ("set " + key + " 0 60 " + value.length + "\r\n").getBytes(StandardCharsets.UTF_8));
      command.write(value);
      command.write("\r\n".getBytes(StandardCharsets.UTF_8));
      socket.getOutputStream().write(command.toByteArray());
      if (socket.getInputStream().read() != 'S') { // STORED
        throw new IllegalStateException("'" + lock + "' was not written");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return "key " + key;
  }

  @Override
  public void close() {
    ticker.close();
  }
}
