package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.testkit.StoreFixture;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RangeRequest;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import java.time.Duration;
import java.util.Optional;

/** Stores on one etcd, with the real clock. */
final class EtcdFixture implements StoreFixture {

  // Long enough for ten thousand requests at once on a machine that has other things to do.
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final Ticker ticker = Ticker.system("etcd-fixture");
  private final String url;
  private final Runnable restart;

  EtcdFixture(String url, Runnable restart) {
    this.url = url;
    this.restart = restart;
  }

  @Override
  public LockStore open() {
    return new EtcdProvider().open(url, new StoreSettings(ticker, TIMEOUT));
  }

  @Override
  public Optional<String> url() {
    return Optional.of(url);
  }

  @Override
  public void restart() {
    restart.run();
  }

  @Override
  public String damage(String lock, String text) {
    Keys keys = new Keys(EtcdOptions.defaults().prefix());
    ManagedChannel channel =
        Grpc.newChannelBuilder(
                url.substring("etcd://".length()).replaceFirst("[,/?].*", ""),
                InsecureChannelCredentials.create())
            .build();
    try {
      var kv = KVGrpc.newBlockingStub(channel);
      RangeRequest range =
          RangeRequest.newBuilder()
              .setKey(keys.queue(lock).first())
              .setRangeEnd(keys.queue(lock).after())
              .build();
      KeyValue stored = kv.range(range).getKvs(0);
      kv.put(
          PutRequest.newBuilder()
              .setKey(stored.getKey())
              .setValue(ByteString.copyFromUtf8(text))
              .setLease(stored.getLease())
              .build());
      return "key " + stored.getKey().toStringUtf8().replace("\0", "\\0");
    } finally {
      channel.shutdownNow();
    }
  }

  @Override
  public void close() {
    ticker.close();
  }
}
