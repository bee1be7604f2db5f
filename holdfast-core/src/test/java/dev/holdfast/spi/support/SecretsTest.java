package dev.holdfast.spi.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.Diagnosis;
import dev.holdfast.Finding;
import dev.holdfast.Kind;
import dev.holdfast.Owner;
import dev.holdfast.StoreException;
import dev.holdfast.memory.MemoryProvider;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Credentials;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.spi.Unknown;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SecretsTest {

  private static final Credentials NONE = Credentials.none();
  private static final Ticker TICKER = Ticker.system("secrets");
  private static final Claim CLAIM =
      new Claim(
          "id",
          "x",
          Kind.MUTEX,
          1,
          1,
          new Owner("host", 1, "main", "client", ""),
          Duration.ofSeconds(30),
          null,
          0,
          0);

  @AfterAll
  static void close() {
    TICKER.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "zqx",
        "ZQXKVJ",
        "zq xkvj",
        "zqx/kvj",
        "zqx%kvj",
        "zqx+kvj",
        "zqx@kvj:wzq",
        "žqxķvĵ",
        "zqx\"'kvj",
        "zqx\\kvj",
        "зщъ",
        "鷺鷥鴛",
        "🜁🜂🜃",
        "zqx%40kvj",
        "zqx%2540kvj",
        "zqx%2"
      })
  void a_secret_is_hidden_in_every_spelling(String secret) {
    Secrets secrets = Secrets.of("redis://h", new Credentials("app", secret));
    String encoded = URLEncoder.encode(secret, StandardCharsets.UTF_8);
    StringBuilder everyByte = new StringBuilder();
    for (byte one : secret.getBytes(StandardCharsets.UTF_8)) {
      everyByte.append("%%%02x".formatted(one));
    }

    for (String spelling :
        new String[] {
          secret,
          encoded,
          encoded.replace("+", "%20"),
          everyByte.toString(),
          everyByte.toString().toUpperCase(Locale.ROOT),
          URLEncoder.encode(encoded, StandardCharsets.UTF_8)
        }) {
      assertThat(secrets.hide("no (" + spelling + ") here")).isEqualTo("no (***) here");
    }
  }

  @Test
  void one_that_a_url_escapes_is_hidden_where_a_message_does_not() {
    Secrets secrets = Secrets.of("redis://app:zq%78%2Fkvj@h?sentinel-password=w%7Aqq", NONE);

    assertThat(secrets.hide("AUTH zqx/kvj, then wzqq")).isEqualTo("AUTH ***, then ***");
    assertThat(secrets.hide("AUTH zq%78%2Fkvj")).isEqualTo("AUTH ***");
    assertThat(secrets).hasToString("Secrets[4]");
  }

  @Test
  void pieces_between_separators_are_hidden_too() {
    Secrets secrets = Secrets.of("jdbc:mysql://app:zqxk/wvjj@h/db?password=qqzz&xxkk", NONE);

    assertThat(secrets.hide("cannot parse port zqxk of zqxk"))
        .isEqualTo("cannot parse port *** of ***");
    assertThat(secrets.hide("near 'wvjj@h/db'")).isEqualTo("near '***@h/db'");
    assertThat(secrets.hide("near qqzz or xxkk")).isEqualTo("near *** or ***");
  }

  @Test
  void a_word_that_differs_in_case_is_no_secret() {
    assertThat(Secrets.of("redis://:wrong@h", NONE).hide("WRONGPASS wrong"))
        .isEqualTo("WRONGPASS ***");
  }

  @Test
  void what_is_shorter_than_three_characters_is_left_alone() {
    assertThat(Secrets.of("redis://app:zq@h", new Credentials(null, "x")).hide("zq x: zqx"))
        .isEqualTo("zq x: zqx");
  }

  @Test
  void urls_in_messages_are_redacted_although_nothing_is_known() {
    Secrets secrets = Secrets.of("memory:", NONE);

    assertThat(secrets.hide("Access denied for user 'app'@'h' (using password: YES)"))
        .isEqualTo("Access denied for user 'app'@'h' (using password: YES)");
    assertThat(secrets.hide("bad jdbc:mysql://app:zqx@h/db and redis://:kvj@h"))
        .isEqualTo("bad jdbc:mysql://app:***@h/db and redis://:***@h");
    assertThat(secrets.hide("bad jdbc:h2:mem:x;PASSWORD=zqx kvj"))
        .isEqualTo("bad jdbc:h2:mem:x;PASSWORD=***");
  }

  @Test
  void a_failure_without_a_secret_stays_itself() {
    Secrets secrets = Secrets.of("redis://:zqxkvj@h", NONE);
    RuntimeException clean = new IllegalStateException("no", new RuntimeException("why"));

    assertThat(secrets.hide(clean)).isSameAs(clean);
  }

  @Test
  void a_failure_that_shows_one_is_replaced_by_a_copy_with_trace_causes_and_suppressed() {
    Secrets secrets = Secrets.of("redis://:zqxkvj@h", NONE);
    Throwable deepest = new Exception("WRONGPASS zqxkvj");
    RuntimeException beside = new UnsupportedOperationException("zqxkvj beside");
    StoreException failure =
        new StoreException("orders", "no", new IllegalArgumentException("see below", deepest));
    failure.addSuppressed(beside);

    Throwable copy = secrets.hide((Throwable) failure);

    assertThat(trace(copy))
        .doesNotContain("zqx", "kvj")
        .contains("java.lang.Exception: WRONGPASS ***");
    assertThat(copy).isInstanceOf(StoreException.class).hasMessage("no");
    assertThat(((StoreException) copy).lockName()).isEqualTo("orders");
    assertThat(copy.getStackTrace()).isEqualTo(failure.getStackTrace());
    assertThat(copy.getCause()).isInstanceOf(IllegalArgumentException.class);
    assertThat(copy.getSuppressed()[0]).hasMessage("*** beside");
    assertThat(secrets.hide(new IllegalStateException("zqxkvj")))
        .hasToString("java.lang.IllegalStateException: ***");
  }

  @Test
  void a_circle_of_causes_ends() {
    Secrets secrets = Secrets.of("redis://:zqxkvj@h", NONE);
    Exception one = new Exception("zqxkvj");
    one.initCause(new Exception(one));

    assertThat(trace(secrets.hide((Throwable) one))).doesNotContain("zqx", "kvj");
  }

  @Test
  void a_store_without_secrets_needs_no_guard() {
    try (LockStore store = memory()) {
      assertThat(Secrets.of("memory:", NONE).guard(store)).isSameAs(store);
    }
  }

  @Test
  void every_method_of_a_store_is_passed_on() throws ReflectiveOperationException {
    List<Method> called = new ArrayList<>();
    LockStore store = talkative(called);
    LockStore guarded = guard(store);

    Set<Method> methods = Set.copyOf(Arrays.asList(LockStore.class.getMethods()));
    for (Method method : methods) {
      if (!Modifier.isStatic(method.getModifiers())
          && !method.getDeclaringClass().equals(AutoCloseable.class)) {
        called.clear();
        invoke(method, guarded);
        assertThat(called)
            .as("calls for %s", method)
            .extracting(Method::getName)
            .contains(method.getName());
      }
    }
    assertThat(guarded).hasToString("redis://:***@h");
  }

  @Test
  void no_answer_of_a_guarded_store_shows_a_secret() {
    LockStore guarded = guard(talkative(new ArrayList<>()));

    assertThatExceptionOfType(CompletionException.class)
        .isThrownBy(() -> guarded.inspect("x").toCompletableFuture().join())
        .withCauseInstanceOf(StoreException.class)
        .withMessageContaining("AUTH ***");
    assertThat(guarded.diagnose().toCompletableFuture().join().findings())
        .containsExactly(Finding.ok("*** is well"));
    assertThat(
            guarded
                .refresh(List.of(CLAIM), Deadline.in(Duration.ofSeconds(1), TICKER))
                .toCompletableFuture()
                .join()
                .values())
        .first()
        .satisfies(unknown -> assertThat(((Unknown) unknown).cause()).hasMessage("AUTH ***"));
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> guarded.list("", 1))
        .withMessage("AUTH ***");
  }

  private static LockStore guard(LockStore store) {
    return Secrets.of("redis://:zqxkvj@h", NONE).guard(store);
  }

  /** A store that puts its password into everything it says. */
  private static LockStore talkative(List<Method> called) {
    StoreException failure = new StoreException("x", "AUTH zqxkvj");
    return (LockStore)
        Proxy.newProxyInstance(
            SecretsTest.class.getClassLoader(),
            new Class<?>[] {LockStore.class},
            (proxy, method, arguments) -> {
              called.add(method);
              return switch (method.getName()) {
                case "toString" -> "redis://:zqxkvj@h";
                case "list" -> throw failure;
                case "refresh" ->
                    CompletableFuture.completedFuture(Map.of(CLAIM, new Unknown(failure)));
                case "diagnose" ->
                    CompletableFuture.completedFuture(
                        new Diagnosis(null, List.of(Finding.ok("zqxkvj is well"))));
                case "refreshBatch" -> 7;
                default ->
                    method.getReturnType().isInstance(CompletableFuture.completedFuture(null))
                        ? CompletableFuture.failedFuture(failure)
                        : null;
              };
            });
  }

  private static void invoke(Method method, LockStore store) throws ReflectiveOperationException {
    Object[] arguments = new Object[method.getParameterCount()];
    for (int i = 0; i < arguments.length; i++) {
      Class<?> type = method.getParameterTypes()[i];
      arguments[i] =
          type == boolean.class
              ? (Object) false
              : type == long.class ? (Object) 0L : type == int.class ? (Object) 0 : null;
    }
    try {
      method.invoke(store, arguments);
    } catch (InvocationTargetException refused) {
      assertThat(refused.getCause()).isInstanceOf(StoreException.class);
    }
  }

  private static LockStore memory() {
    return new MemoryProvider()
        .open("memory:secrets", new StoreSettings(TICKER, Duration.ofSeconds(1)));
  }

  private static String trace(Throwable failure) {
    StringWriter text = new StringWriter();
    failure.printStackTrace(new PrintWriter(text));
    return text.toString();
  }
}
