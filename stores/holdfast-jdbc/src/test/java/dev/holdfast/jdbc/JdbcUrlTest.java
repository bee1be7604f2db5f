package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.jdbc.connection.JdbcUrl;
import dev.holdfast.spi.support.StoreUrl;
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
          jdbc:mysql://h/d?holdfast.listen=false&holdfast.create-tables=true&b=2 | jdbc:mysql://h/d?b=2
          jdbc:h2:tcp://h/d;holdfast.listen=false;USER=sa       | jdbc:h2:tcp://h/d;USER=sa
          jdbc:h2:mem:d;USER=sa;holdfast.listen=false           | jdbc:h2:mem:d;USER=sa
          """)
  void our_parameters_never_reach_the_driver(String url, String driverUrl) {
    JdbcUrl parts = JdbcUrl.of(url);

    assertThat(parts.driverUrl()).isEqualTo(driverUrl);
    assertThat(options(url).listen()).isFalse();
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
            options(
                "jdbc:mysql://h/d?holdfast.connections=5&holdfast.create-tables=false"
                    + "&holdfast.linearizable=true&holdfast.listen=false&holdfast.async-releases=true"))
        .isEqualTo(new JdbcOptions(5, false, true, false, true));
    assertThat(options("jdbc:mysql://h/d")).isEqualTo(JdbcOptions.defaults());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          holdfast.lineariseable=true | unknown parameter 'holdfast.lineariseable'
          holdfast.listen=yes         | 'holdfast.listen' must be true or false
          holdfast.listen             | 'holdfast.listen' must be true or false
          holdfast.connections=many   | 'holdfast.connections' must be a number
          holdfast.createTables=true  | the parameter 'holdfast.createTables' is written 'holdfast.create-tables'
          holdfast.listen=true&holdfast.listen=true | a parameter is given twice
          holdfast.connections=0      | connections must be from 1 to 64, not 0
          """)
  void a_wrong_parameter_is_named(String parameter, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> options("jdbc:postgresql://h/d?password=hunter2&" + parameter))
        .withMessageStartingWith("malformed store URL 'jdbc:postgresql://h/d?password=***")
        .withMessageContaining(message)
        .withMessageNotContaining("hunter2");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:h2:mem:d;INIT=RUNSCRIPT FROM 'x.sql'",
        "jdbc:h2:mem:d; init =SELECT 1",
        "jdbc:h2:mem:d;I%4EIT=SELECT 1",
        "jdbc:h2:mem:d;DATABASE_EVENT_LISTENER='x.Y'",
        "jdbc:h2:mem:d;JAVA_OBJECT_SERIALIZER='x.Y'",
        "jdbc:h2:mem:d;AUTHENTICATOR=DEFAULT",
        "jdbc:postgresql://h/d?socketFactory=x.Y&socketFactoryArg=/etc/x",
        "jdbc:postgresql://h/d?user=u&socket%46actory=x.Y",
        "jdbc:postgresql://h/d?sslfactory=x.Y",
        "jdbc:postgresql://h/d?sslfactory=org.postgresql.ssl.DefaultJavaSSLFactoryX",
        "jdbc:postgresql://h/d?sslhostnameverifier=x.Y",
        "jdbc:postgresql://h/d?sslpasswordcallback=x.Y",
        "jdbc:postgresql://h/d?authenticationPluginClassName=x.Y",
        "jdbc:postgresql://h/d?connectExecutor=x.Y",
        "jdbc:postgresql://h/d?xmlFactoryFactory=x.Y",
        "jdbc:postgresql://h/d?loggerLevel=TRACE&loggerFile=/x",
        "jdbc:postgresql:///?service=x",
        "jdbc:mysql://h/d?autoDeserialize=true",
        "jdbc:mysql://h/d?AUTODESERIALIZE=true",
        "jdbc:mysql://h/d?queryInterceptors=x.Y",
        "jdbc:mysql://address=(host=h)(queryInterceptors=x.Y)/d",
        "jdbc:mysql://(host=h,propertiesTransform=x.Y)/d",
        "jdbc:mysql://h/d?allowLoadLocalInfile=true",
        "jdbc:mysql://h/d?allowUrlInLocalInfile=true",
        "jdbc:mysql://h/d?useConfigs=maxPerformance",
        "jdbc:mysql://h/d?connectionLifecycleInterceptors=x.Y",
        "jdbc:mysql://h/d?traceProtocol=true",
        "jdbc:mariadb://h/d?allowLocalInfile=true",
        "jdbc:mariadb://h/d?initSql=SELECT%201",
        "jdbc:mariadb://h/d?socketFactory=x.Y",
        "jdbc:mariadb://h/d?credentialType=x",
      })
  void what_could_run_code_or_reach_files_is_refused(String url) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> options(url))
        .withMessageStartingWith(
            "malformed store URL '" + StoreUrl.redact(url) + "': the parameter '")
        .withMessageContaining("could run code or reach files of this host");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:postgresql://h/d?sslmode=verify-full&sslrootcert=/ca.pem",
        "jdbc:postgresql://h/d?sslfactory=org.postgresql.ssl.DefaultJavaSSLFactory&user=u",
        "jdbc:mysql://h/d?trustCertificateKeyStoreUrl=file:/ca.p12&sessionVariables=x=1",
        "jdbc:mariadb://h/d?serverSslCert=/ca.pem&sslMode=verify-full",
        "jdbc:h2:file:/var/init/d;CIPHER=AES;TRACE_LEVEL_FILE=0;AUTO_SERVER=TRUE",
      })
  void files_for_tls_and_settings_of_the_session_pass(String url) {
    assertThat(JdbcUrl.of(url).driverUrl()).isEqualTo(url);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:postgresql://h?password=hunter2",
        "jdbc:postgresql://app:hunter2@h/d",
        "jdbc:postgresql://h:hunter2/d",
        "jdbc:postgresql://[::1/d?password=hunter2",
        "jdbc:postgresql://h/d?password=hunter2%",
        "jdbc:postgresql:d?password=%hunter2",
      })
  void what_postgresqls_driver_would_log_is_refused_before_it_sees_it(String url) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> options(url))
        .withMessageContaining("PostgreSQL's driver takes")
        .withMessageNotContaining("hunter2");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:postgresql:d",
        "jdbc:postgresql:///d?user=u",
        "jdbc:postgresql://h/",
        "jdbc:postgresql://h-1.x_y:5432,[::1]:5433,10.0.0.1/d?password=a%40b",
      })
  void every_form_that_postgresqls_driver_takes_passes(String url) {
    assertThat(JdbcUrl.of(url).driverUrl()).isEqualTo(url);
  }

  @Test
  void a_password_is_not_shown() {
    assertThat(JdbcUrl.of("jdbc:postgresql://h/d?user=u&password=hunter2").shown())
        .isEqualTo("jdbc:postgresql://h/d?user=u&password=***");
  }

  private static JdbcOptions options(String url) {
    return JdbcOptions.of(url, JdbcUrl.of(url).options());
  }
}
