package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Finding;
import dev.holdfast.Finding.Severity;
import dev.holdfast.jdbc.sql.SqlEncryption;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is said of a connection that is encrypted or not, by the URL it was made with. */
class SqlEncryptionTest {

  @ParameterizedTest
  @CsvSource({
    "jdbc:postgresql://db-1/app, false, add sslmode=verify-full to the URL",
    "jdbc:postgresql://db-1/app, true, add sslmode=verify-full to the URL",
    "'jdbc:postgresql://localhost,db-1:5433/app', true, not verified",
    "jdbc:postgresql://db-1/app?sslmode=require, true, not verified",
    "jdbc:postgresql://db-1/app?sslmode=verify-ca&ssl=true, true, not verified",
    "jdbc:postgresql://db-1/app?ssl=true&sslfactory=org.postgresql.ssl.NonValidatingFactory, true,"
        + " not verified",
    "jdbc:mysql://db-1/app, true, add sslMode=VERIFY_IDENTITY to the URL",
    "jdbc:mysql://u:p@db-1/app?sslMode=VERIFY_CA, true, not verified",
    "jdbc:mysql+srv://db-1/app?sslMode=DISABLED, false, not encrypted",
    "jdbc:mysql://address=(host=localhost)(port=1)/app, false, not encrypted",
    "jdbc:mariadb://db-1/app?sslMode=disable, false, add sslMode=verify-full to the URL",
    "jdbc:mariadb://db-1/app?sslMode=trust, true, not verified",
    "jdbc:h2:ssl://db-1/app, true, H2 has nothing better",
    "jdbc:h2:tcp://db-1/app, false, not encrypted"
  })
  void what_could_be_read_or_impersonated_is_a_warning(String url, boolean encrypted, String why) {
    Finding finding = SqlEncryption.finding(url, encrypted);
    assertThat(finding.severity()).as(finding.message()).isEqualTo(Severity.WARNING);
    assertThat(finding.message()).contains(why);
  }

  @ParameterizedTest
  @CsvSource({
    "jdbc:postgresql://db-1/app?user=a&sslmode=verify-full, true, is verified",
    "jdbc:postgresql://db-1/app?ssl=true, true, is verified",
    "jdbc:postgresql://db-1/app?ssl, true, is verified",
    "jdbc:mysql://db-1/app?sslMode=VERIFY_IDENTITY, true, is verified",
    "jdbc:mariadb://db-1/app, true, is verified",
    "jdbc:mariadb://db-1/app?sslMode=verify-full, true, is verified",
    "jdbc:postgresql://localhost:5432/app, false, loopback",
    "jdbc:postgresql:app, false, loopback",
    "jdbc:postgresql:///app, false, loopback",
    "jdbc:postgresql://[::1]:5432/app, true, loopback",
    "'jdbc:mysql://127.0.0.1:3306,localhost/app', true, loopback",
    "jdbc:h2:tcp://localhost:9092/app;USER=sa, false, loopback"
  })
  void what_is_verified_or_does_not_leave_this_host_is_fine(
      String url, boolean encrypted, String why) {
    Finding finding = SqlEncryption.finding(url, encrypted);
    assertThat(finding.severity()).as(finding.message()).isEqualTo(Severity.OK);
    assertThat(finding.message()).contains(why);
  }
}
