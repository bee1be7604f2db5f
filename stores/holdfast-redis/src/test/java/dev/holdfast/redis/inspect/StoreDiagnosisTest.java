package dev.holdfast.redis.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Finding;
import dev.holdfast.Finding.Severity;
import dev.holdfast.redis.client.ServerInfo;
import java.util.List;
import org.junit.jupiter.api.Test;

class StoreDiagnosisTest {

  @Test
  void the_doctor_reports_what_it_may_not_read() {
    List<Finding> findings = StoreDiagnosis.findings(ServerInfo.parse(""));

    assertThat(findings)
        .allSatisfy(
            finding -> {
              assertThat(finding.severity()).isEqualTo(Severity.WARNING);
              assertThat(finding.message()).contains("allow the command");
            });
  }
}
