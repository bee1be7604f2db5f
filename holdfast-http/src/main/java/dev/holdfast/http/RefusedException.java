package dev.holdfast.http;

/** A request that must be refused, with the answer to send. */
final class RefusedException extends Exception {

  private static final long serialVersionUID = 1L;

  private final transient Problem problem;

  RefusedException(Problem problem) {
    super(problem.detail());
    this.problem = problem;
  }

  Problem problem() {
    return problem;
  }
}
