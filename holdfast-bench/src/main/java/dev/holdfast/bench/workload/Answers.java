package dev.holdfast.bench.workload;

import dev.holdfast.testkit.JavaProcess;
import java.util.Arrays;

/** What workers answer. */
final class Answers {

  private Answers() {}

  /** The numbers behind this word; an exception if the worker has failed. */
  static double[] of(JavaProcess worker, String word) {
    while (true) {
      String[] answer = worker.await("").split("\t");
      if (answer[0].equals("failed")) {
        throw new IllegalStateException(answer[1]);
      }
      if (answer[0].equals(word)) {
        return Arrays.stream(answer).skip(1).mapToDouble(Double::parseDouble).toArray();
      }
      // Something that a library wrote on its own.
    }
  }
}
