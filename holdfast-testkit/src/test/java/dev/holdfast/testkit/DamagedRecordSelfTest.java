package dev.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import dev.holdfast.StoreException;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.LockStore;
import dev.holdfast.testkit.rules.Scene;
import dev.holdfast.testkit.rules.store.DamagedRecordRules;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.platform.testkit.engine.EngineTestKit;

/** A store that deals wrongly with records that it cannot read must fail the rules about them. */
class DamagedRecordSelfTest {

  /** A store that alters answers. */
  enum Flaw {
    NONE("", answer -> answer),
    HIDES_THE_PLACE(
        "inspect",
        answer ->
            answer.exceptionally(
                failure -> {
                  throw new StoreException("", "something is wrong");
                })),
    GRANTS_ANYWAY("join", answer -> answer.exceptionally(failure -> new Granted(1))),
    REMOVES_NOTHING("discard", answer -> answer.thenApply(removed -> false)),
    SAYS_THAT_IT_REMOVES_EVERYTHING("discard", answer -> answer.thenApply(removed -> true));

    final String verb;
    final UnaryOperator<CompletionStage<Object>> change;

    Flaw(String verb, UnaryOperator<CompletionStage<Object>> change) {
      this.verb = verb;
      this.change = change;
    }

    LockStore on(LockStore store) {
      return (LockStore)
          Proxy.newProxyInstance(
              LockStore.class.getClassLoader(),
              new Class<?>[] {LockStore.class},
              (proxy, method, arguments) -> {
                try {
                  Object answer = method.invoke(store, arguments);
                  return method.getName().equals(verb) ? change.apply(stage(answer)) : answer;
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                }
              });
    }

    @SuppressWarnings("unchecked") // all verbs answer with stages
    private static CompletionStage<Object> stage(Object answer) {
      return (CompletionStage<Object>) answer;
    }
  }

  @ParameterizedTest
  @EnumSource
  void a_flaw_is_found(Flaw flaw) {
    BrokenRules.flaw = flaw;
    long failed =
        EngineTestKit.engine("junit-jupiter")
            .selectors(
                selectMethod(
                    BrokenRules.class.getName()
                        + "#a_record_that_cannot_be_read_is_named_skipped_and_removed_on_demand"
                        + "(org.junit.jupiter.api.TestReporter)"))
            .execute()
            .testEvents()
            .failed()
            .count();
    assertThat(failed).isEqualTo(flaw == Flaw.NONE ? 0 : 1);
  }

  /** Run by the test above alone. */
  static class BrokenRules extends DamagedRecordRules {

    static Flaw flaw = Flaw.NONE;

    private final RegisterFixture register = new RegisterFixture();
    private final Scene scene =
        new Scene(
            new StoreFixture() {
              @Override
              public LockStore open() {
                return flaw.on(register.open());
              }

              @Override
              public String damage(String lock, String text) {
                return register.damage(lock, text);
              }
            });

    @Override
    protected Scene scene() {
      return scene;
    }

    @AfterEach
    void close() {
      scene.close();
    }
  }
}
