package dev.holdfast.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/**
 * The order of two operations is not known: on a busy machine the first may have reached the limit
 * that the server keeps for waits, and then it queues up again, behind the second.
 */
final class Overtaken extends Exception {

  private static final long serialVersionUID = 1;

  private static final int MOST_RUNS = 20;

  Overtaken() {
    super("the first operation may have been repeated behind the second");
  }

  /** Runs such a test once more, from its beginning. All other failures stand. */
  static final class Repeats implements InvocationInterceptor {

    @Override
    public void interceptTestMethod(
        Invocation<Void> invocation,
        ReflectiveInvocationContext<Method> method,
        ExtensionContext context)
        throws Throwable {
      run(invocation, method, context);
    }

    @Override
    public void interceptTestTemplateMethod(
        Invocation<Void> invocation,
        ReflectiveInvocationContext<Method> method,
        ExtensionContext context)
        throws Throwable {
      run(invocation, method, context);
    }

    private static void run(
        Invocation<Void> invocation,
        ReflectiveInvocationContext<Method> method,
        ExtensionContext context)
        throws Throwable {
      try {
        invocation.proceed();
      } catch (Overtaken e) {
        repeat(method, (QueuePathContract) context.getRequiredTestInstance());
      }
    }

    private static void repeat(ReflectiveInvocationContext<Method> method, QueuePathContract test)
        throws Throwable {
      for (int run = 2; ; run++) {
        test.close();
        test.open();
        try {
          Method body = method.getExecutable();
          body.setAccessible(true);
          body.invoke(test, method.getArguments().toArray());
          return;
        } catch (InvocationTargetException e) {
          if (!(e.getCause() instanceof Overtaken) || run == MOST_RUNS) {
            throw e.getCause();
          }
        }
      }
    }
  }
}
