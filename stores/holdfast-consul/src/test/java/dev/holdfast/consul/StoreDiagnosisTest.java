package dev.holdfast.consul;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Finding.Severity;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StoreDiagnosisTest {

  @ParameterizedTest
  @CsvSource({
    "1.3.1,WARNING,older than any version tested",
    "1.4.0,WARNING,issue 5888",
    "1.5.0,WARNING,issue 5888",
    "1.5.1,WARNING,older than any version tested",
    "1.8.7,OK,1.8.7",
    "1.22.1+ent,OK,1.22.1+ent",
    "2.0.0,OK,2.0.0",
    "dev,WARNING,unknown version"
  })
  void versions_that_are_known_to_be_bad_are_named(
      String version, Severity severity, String words) {
    assertThat(StoreDiagnosis.version(version).severity()).isEqualTo(severity);
    assertThat(StoreDiagnosis.version(version).message()).contains(words);
  }

  @ParameterizedTest
  @CsvSource({"1,WARNING", "2,WARNING", "3,OK", "4,WARNING", "5,OK"})
  void a_number_of_servers_that_tolerates_no_failure_is_worth_a_warning(
      int count, Severity severity) {
    assertThat(StoreDiagnosis.servers(count).severity()).isEqualTo(severity);
  }

  @ParameterizedTest
  @CsvSource({
    "10s,10,OK",
    "0s,10,OK",
    "1s,1,OK",
    "10s,5,WARNING",
    "1m0s,10,WARNING",
    "'',10,WARNING"
  })
  void a_ttl_that_the_servers_refuse_is_worth_a_warning(
      String least, long wanted, Severity severity) {
    assertThat(StoreDiagnosis.ttl(least, Duration.ofSeconds(wanted)).severity())
        .isEqualTo(severity);
  }
}
