package dev.holdfast.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class CredentialsTest {

  @Test
  void the_password_is_never_in_the_text_of_anything_that_holds_it() {
    Credentials credentials = new Credentials("app", "CANARY");
    try (Ticker ticker = Ticker.system("test")) {
      StoreSettings settings = new StoreSettings(ticker, Duration.ofSeconds(5), credentials);
      assertThat(credentials).hasToString("Credentials[app, ***]");
      assertThat(settings.toString()).contains("app").doesNotContain("CANARY");
    }
    assertThat(credentials.password()).isEqualTo("CANARY");
  }

  @Test
  void without_any_the_url_counts() {
    try (Ticker ticker = Ticker.system("test")) {
      Credentials none = new StoreSettings(ticker, Duration.ofSeconds(5)).credentials();
      assertThat(none.user()).isNull();
      assertThat(none.password()).isNull();
    }
  }
}
