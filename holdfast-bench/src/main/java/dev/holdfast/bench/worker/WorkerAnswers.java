package dev.holdfast.bench.worker;

import dev.holdfast.testkit.JavaProcess;
import java.util.Arrays;
import java.util.List;

/** The answers of worker processes. */
public final class WorkerAnswers {

  static final String FAILED = "failed";

  private WorkerAnswers() {}

  /** The numbers behind this word; an exception if the worker has failed. */
  public static double[] of(JavaProcess worker, String word) {
    return of(List.of(worker), word).get(0);
  }

  /** The same of several; all of them have answered when this returns or throws. */
  public static List<double[]> of(List<JavaProcess> workers, String word) {
    List<String[]> answers = workers.stream().map(worker -> answer(worker, word)).toList();
    for (String[] answer : answers) {
      if (answer[0].equals(FAILED)) {
        throw new IllegalStateException(answer[1]);
      }
    }
    return answers.stream()
        .map(words -> Arrays.stream(words).skip(1).mapToDouble(Double::parseDouble).toArray())
        .toList();
  }

  private static String[] answer(JavaProcess worker, String word) {
    while (true) {
      String[] words = worker.await("").split("\t");
      if (words[0].equals(word) || words[0].equals(FAILED)) {
        return words;
      }
      // A line that a library wrote.
    }
  }
}
