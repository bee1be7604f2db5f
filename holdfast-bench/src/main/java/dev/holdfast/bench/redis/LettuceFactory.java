package dev.holdfast.bench.redis;

import java.net.URI;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Spring's connections to Redis, as Spring makes them by default. */
final class LettuceFactory {

  private LettuceFactory() {}

  static LettuceConnectionFactory of(String url) {
    URI uri = URI.create(url);
    LettuceConnectionFactory factory = new LettuceConnectionFactory(uri.getHost(), uri.getPort());
    factory.afterPropertiesSet();
    factory.start();
    return factory;
  }
}
