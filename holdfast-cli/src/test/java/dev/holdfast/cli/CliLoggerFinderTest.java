package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.output.Console;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CliLoggerFinderTest {

  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @Test
  void verbose_shows_our_own_log_from_debug_on_each_line_without_harm() {
    Logger ours = logger("dev.holdfast.redis.inspect.Reader");
    ours.log(Level.TRACE, "too fine");
    ours.log(Level.DEBUG, "an answer\nholdfast: forged\u001b[2J");
    ours.log(Level.WARNING, "{0} is overdue", "'x'");
    assertThat(err.toString(StandardCharsets.UTF_8))
        .isEqualTo(
            "holdfast: DEBUG dev.holdfast.redis.inspect.Reader: an answer\\u000aholdfast: forged\\u001b[2J\n"
                + "holdfast: WARNING dev.holdfast.redis.inspect.Reader: 'x' is overdue\n");
  }

  /** The first is where the JDK reports each certificate and key, at DEBUG. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdk.event.security",
        "javax.net.ssl",
        "sun.net.www.protocol.http.HttpURLConnection",
        "jdk.internal.httpclient.debug",
        "org.apache.zookeeper.ClientCnxn",
        "dev.holdfaster"
      })
  void of_libraries_it_shows_warnings_alone(String name) {
    Logger library = logger(name);
    library.log(Level.DEBUG, "X509Certificate: Alg:SHA256withRSA, Serial:CAFE");
    library.log(Level.INFO, "Session establishment complete");
    assertThat(library.isLoggable(Level.INFO)).isFalse();
    assertThat(err.size()).isZero();
    library.log(Level.WARNING, "cannot log in");
    assertThat(err.toString(StandardCharsets.UTF_8))
        .isEqualTo("holdfast: WARNING " + name + ": cannot log in\n");
  }

  private Logger logger(String name) {
    CliLoggerFinder.showOn(
        new Console(
            new ByteArrayInputStream(new byte[0]),
            new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            Map.of()));
    return new CliLoggerFinder().getLogger(name, CliLoggerFinderTest.class.getModule());
  }
}
