package dev.holdfast.servers;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Tests that need real servers. On a machine that lacks one they are reported as not run, with the
 * reason.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@ExtendWith(NeedsServer.Condition.class)
public @interface NeedsServer {

  /** The servers that are needed. */
  Server[] value();

  /** Returns whether the tests kill the server, so that a shared one cannot be used. */
  boolean ofItsOwn() default false;

  /** Asks the machine. */
  final class Condition implements ExecutionCondition {
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      return AnnotationSupport.findAnnotation(context.getElement(), NeedsServer.class)
          .map(Condition::evaluate)
          .orElseGet(() -> ConditionEvaluationResult.enabled("needs no server"));
    }

    private static ConditionEvaluationResult evaluate(NeedsServer needs) {
      for (Server server : needs.value()) {
        var missing = server.missing(needs.ofItsOwn());
        if (missing.isPresent()) {
          return ConditionEvaluationResult.disabled(missing.get());
        }
      }
      return ConditionEvaluationResult.enabled("all servers are there");
    }
  }
}
