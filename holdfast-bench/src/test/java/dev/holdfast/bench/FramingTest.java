package dev.holdfast.bench;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.bench.consul.ConsulStore;
import dev.holdfast.bench.etcd.EtcdStore;
import dev.holdfast.bench.memcached.MemcachedStore;
import dev.holdfast.bench.redis.RedisStore;
import dev.holdfast.bench.sql.SqlStore;
import dev.holdfast.bench.store.Framing;
import dev.holdfast.bench.store.Store;
import dev.holdfast.bench.zookeeper.ZooKeeperStore;
import org.junit.jupiter.api.Test;

class FramingTest {

  @Test
  void a_redis_command_counts_once_however_many_words_it_has() {
    String ping = "*1\r\n$4\r\nPING\r\n";
    String set = "*3\r\n$3\r\nSET\r\n$0\r\n\r\n$5\r\n*1\r\n$\r\n";
    assertThat(requests(new RedisStore(), ping + set + ping)).isEqualTo(3);
  }

  @Test
  void a_statement_of_postgresql_counts_when_it_is_executed() {
    String startup = "\0\0\0\u0008abcd";
    String parse = "P\0\0\0\u0006ab";
    String execute = "E\0\0\0\u0005a";
    String sync = "S\0\0\0\u0004";
    String query = "Q\0\0\0\u0006ab";
    assertThat(requests(SqlStore.POSTGRESQL, startup + parse + execute + sync + query))
        .isEqualTo(2);
  }

  @Test
  void a_command_of_mariadb_counts_and_the_rest_of_its_packets_do_not() {
    String login = "\u0002\0\0\u0001ab";
    String command = "\u0003\0\0\0abc";
    assertThat(requests(SqlStore.MARIADB, login + command + command)).isEqualTo(2);
  }

  @Test
  void each_operation_of_zookeeper_counts() {
    assertThat(requests(new ZooKeeperStore(), "\0\0\0\u0002ab" + "\0\0\0\u0001a")).isEqualTo(2);
  }

  @Test
  void a_message_to_etcd_counts_and_what_only_opens_a_stream_does_not() {
    String preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    String headers = "\0\0\u0001" + "\u0001" + "\0" + "\0\0\0\u0001" + "h";
    String data = "\0\0\u0002" + "\0" + "\0" + "\0\0\0\u0001" + "ab";
    String end = "\0\0\0" + "\0" + "\u0001" + "\0\0\0\u0001";
    assertThat(requests(new EtcdStore(), preface + headers + data + end + data)).isEqualTo(2);
  }

  @Test
  void a_request_over_http_counts_with_and_without_a_body() {
    String get = "GET /v1/kv/a HTTP/1.1\r\nHost: a\r\n\r\n";
    String put = "PUT /v1/txn HTTP/1.1\r\nContent-Length: 5\r\nHost: a\r\n\r\n\r\n\r\na";
    assertThat(requests(new ConsulStore(), get + put + get)).isEqualTo(3);
  }

  @Test
  void a_command_of_memcached_counts_with_what_it_stores() {
    String get = "mg key v c t\r\n";
    String set = "ms key 5 T30 ME\r\nmg \r\n\r\n";
    assertThat(requests(new MemcachedStore(), get + set + get)).isEqualTo(3);
  }

  private static long requests(Store store, String bytes) {
    Framing.Counter counter = store.framing().counter();
    long count = 0;
    for (byte next : bytes.getBytes(ISO_8859_1)) {
      count += counter.endsRequest(next) ? 1 : 0;
    }
    return count;
  }
}
