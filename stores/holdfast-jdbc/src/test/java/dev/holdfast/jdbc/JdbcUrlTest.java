package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What of a URL is ours and what is the driver's. */
class JdbcUrlTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          jdbc:postgresql://h/d?holdfast.listen=false           | jdbc:postgresql://h/d
          jdbc:postgresql://h/d?holdfast.listen=false&user=u    | jdbc:postgresql://h/d?user=u
          jdbc:postgresql://h/d?user=u&holdfast.listen=false    | jdbc:postgresql://h/d?user=u
          jdbc:mysql://h/d?a=1&holdfast.listen=false&b=2        | jdbc:mysql://h/d?a=1&b=2
          jdbc:mysql://h/d?holdfast.listen=false&holdfast.createTables=true&b=2 | jdbc:mysql://h/d?b=2
          jdbc:h2:tcp://h/d;holdfast.listen=false;USER=sa       | jdbc:h2:tcp://h/d;USER=sa
          jdbc:h2:mem:d;USER=sa;holdfast.listen=false           | jdbc:h2:mem:d;USER=sa
          """)
  void our_parameters_never_reach_the_driver(String url, String driverUrl) {
    JdbcUrl parts = JdbcUrl.of(url);

    assertThat(parts.driverUrl()).isEqualTo(driverUrl);
    assertThat(parts.options().listen()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:postgresql://h1:5432,h2:5433/d?targetServerType=primary&loadBalanceHosts=true",
        "jdbc:mysql:replication://address=(host=h1)(port=1),address=(host=h2)/d?useSSL=false",
        "jdbc:mariadb:sequential://h1,h2:3307/d?sslMode=disable&&x=;",
        "jdbc:h2:ssl:h/~/d;CIPHER=AES;;",
      })
  void everything_else_is_passed_on_as_it_is(String url) {
    assertThat(JdbcUrl.of(url).driverUrl()).isEqualTo(url);
  }

  @Test
  void each_parameter_sets_one_option() {
    assertThat(
            JdbcUrl.of(
                    "jdbc:mysql://h/d?holdfast.connections=5&holdfast.createTables=false"
                        + "&holdfast.linearizable=true&holdfast.listen=false")
                .options())
        .isEqualTo(new JdbcOptions(5, false, true, false));
    assertThat(JdbcUrl.of("jdbc:mysql://h/d").options()).isEqualTo(JdbcOptions.defaults());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          holdfast.lineariseable=true | unknown parameter 'holdfast.lineariseable'
          holdfast.listen=yes         | holdfast.listen must be true or false, not yes
          holdfast.listen             | holdfast.listen must be true or false
          holdfast.connections=many   | holdfast.connections must be a number, not many
          holdfast.connections=0      | connections must be from 1 to 64, not 0
          """)
  void a_wrong_parameter_is_named(String parameter, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> JdbcUrl.of("jdbc:postgresql://h/d?password=hunter2&" + parameter))
        .withMessageContaining(message)
        .withMessageNotContaining("hunter2");
  }

  @Test
  void a_password_is_not_shown() {
    assertThat(JdbcUrl.of("jdbc:postgresql://h/d?user=u&password=hunter2").shown())
        .isEqualTo("jdbc:postgresql://h/d?user=u&password=***");
  }
}
