package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.zookeeper.common.PathUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NodePathsTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        ".",
        "..",
        "a/b",
        "/",
        "a-b",
        "a b",
        "a+b",
        "%",
        "\u0001",
        "日本語",
        "🔒",
        "zookeeper"
      })
  void any_name_makes_a_path_and_comes_back(String lock) {
    String path = NodePaths.container(lock);

    PathUtils.validatePath(path);
    assertThat(path.split("/")).hasSize(5);
    assertThat(NodePaths.lockOf(path + "/claim")).isEqualTo(lock);
  }

  @Test
  void each_bucket_begins_with_one_of_the_digits() {
    assertThat(NodePaths.bucketsByDigit()).hasSize(NodePaths.DIGITS);
    assertThat(NodePaths.buckets())
        .hasSize(NodePaths.BUCKETS)
        .allSatisfy(
            bucket ->
                assertThat(NodePaths.bucketsByDigit()).filteredOn(bucket::startsWith).hasSize(1));
  }

  @Test
  void an_encoded_text_has_no_hyphen_to_be_taken_for_a_separator() {
    assertThat(NodePaths.encode("a-b")).isEqualTo("a%2Db");
    assertThat(NodePaths.decode("a%2Db")).isEqualTo("a-b");
  }
}
