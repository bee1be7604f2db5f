package dev.holdfast.memcached;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MemcachedProviderTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "memcached://a/0              | nothing but parameters may follow the hosts",
        "memcached://a,b,a:11211      | the host a:11211 is given twice",
        "memcached://alice@a          | a user has no password",
        "memcached://:secret@a        | a user and a password go together",
        "memcached://a?color=red      | unknown parameter 'color'; there are ca, prefix",
        "memcached://a?ca=/c.pem      | 'ca' needs TLS: write memcacheds://",
        "memcacheds://a?ca=/nowhere   | the file of 'ca' cannot be read: /nowhere",
        "memcached://a?prefix=a%20b   | prefix 'a b' must have at most 100 characters, all of them visible ASCII",
      })
  void what_is_wrong_is_said_before_anything_is_opened(String url, String message) {
    try (Ticker ticker = Ticker.system("memcached-url")) {
      StoreSettings settings = new StoreSettings(ticker, Duration.ofSeconds(1));
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new MemcachedProvider().open(url, settings))
          .withMessageStartingWith("malformed store URL '")
          .withMessageContaining(message)
          .withMessageNotContaining("secret");
    }
  }

  @Test
  void a_prefix_that_memcached_would_not_take_is_refused() {
    for (String prefix : new String[] {"with space", "tab\t", "ümlaut", "x".repeat(101)}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new Keys(prefix))
          .withMessageContaining("prefix");
    }
  }
}
