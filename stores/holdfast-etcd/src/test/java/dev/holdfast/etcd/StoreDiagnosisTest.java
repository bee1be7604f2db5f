package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Finding;
import dev.holdfast.Finding.Severity;
import io.etcd.jetcd.api.StatusResponse;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StoreDiagnosisTest {

  @ParameterizedTest
  @CsvSource({
    "2.3.8,WARNING",
    "3.3.27,WARNING",
    "3.4.23,OK",
    "3.5.16,OK",
    "3.6.0-rc.3,OK",
    "4.0.1,OK",
    "unknown,WARNING"
  })
  void versions_older_than_those_tested_are_named(String version, Severity severity) {
    StatusResponse status = StatusResponse.newBuilder().setVersion(version).setLeader(1).build();

    assertThat(findings(status).get(0).severity()).isEqualTo(severity);
  }

  @Test
  void a_member_without_a_leader_is_a_danger() {
    StatusResponse status = StatusResponse.newBuilder().setVersion("3.6.0").build();

    assertThat(findings(status).get(0).severity()).isEqualTo(Severity.DANGER);
  }

  @Test
  void an_alarm_is_a_danger() {
    StatusResponse status =
        StatusResponse.newBuilder()
            .setVersion("3.6.0")
            .setLeader(1)
            .addErrors("memberID:1 alarm:NOSPACE ")
            .build();

    assertThat(findings(status).get(0))
        .returns(Severity.DANGER, Finding::severity)
        .asString()
        .contains("NOSPACE");
  }

  @Test
  void a_member_that_reports_an_earlier_term_than_the_others_is_named() {
    StatusResponse status =
        StatusResponse.newBuilder().setVersion("3.6.0").setLeader(1).setRaftTerm(7).build();
    StatusResponse earlier = status.toBuilder().setRaftTerm(5).build();

    assertThat(
            StoreDiagnosis.findings(
                List.of(
                    new StoreDiagnosis.Health("one:2379", status, null),
                    new StoreDiagnosis.Health("two:2379", earlier, null),
                    new StoreDiagnosis.Health(
                        "three:2379", StatusResponse.getDefaultInstance(), "away"))))
        .filteredOn(finding -> finding.message().contains("term"))
        .singleElement()
        .returns(Severity.WARNING, Finding::severity)
        .asString()
        .contains("two:2379", "5", "7");
  }

  private static List<Finding> findings(StatusResponse status) {
    return StoreDiagnosis.findings(List.of(new StoreDiagnosis.Health("host:2379", status, null)));
  }
}
