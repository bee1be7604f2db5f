package dev.holdfast.testkit.rules.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.LockInfo;
import dev.holdfast.LockName;
import dev.holdfast.spi.Claim;
import dev.holdfast.testkit.rules.Rules;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Any name works on any store, and two names are never the same lock. */
public abstract class NameRules extends Rules {

  private static final List<String> ODD =
      List.of(
          "a",
          "A",
          "a ",
          " a",
          "a\t",
          "a\n",
          "á",
          "a\u0301",
          "Å",
          "ß",
          "SS",
          "ss",
          "ı",
          "i",
          "İ",
          "日本語",
          "🔒",
          "🔓",
          "\uFFFD",
          "\u200B",
          "a\u200B",
          "a'b",
          "a\"b",
          "a`b",
          "a\\b",
          "a\\\\b",
          "';DROP TABLE lock;--",
          "a%b",
          "a_b",
          "axb",
          "a*b",
          "a?b",
          "[a]",
          "{a}",
          "}",
          "{}",
          "{",
          "${a}",
          "#{a}",
          "a:b",
          "a:b:q",
          "a/b",
          "a//b",
          "a/",
          "/a",
          "..",
          "../..",
          ".",
          "./a",
          "a/../b",
          "a b",
          "a+b",
          "a%20b",
          "a&b=c",
          "a|b",
          "a;b",
          "a,b",
          "a\r\nb",
          "null",
          "NULL",
          "0",
          "00",
          "-1",
          "\u0001",
          "\u007F",
          "a#b",
          "~",
          "^a$",
          "a\u00A0");

  @Test
  void odd_names_work_with_every_verb() throws Exception {
    for (String name : odd()) {
      Claim claim = scene().mutex(name);
      long token = a.granted(claim).token();
      b.busy(scene().mutex(name));
      assertThat(a.holds(claim).token()).as("token of '%s'", name).isEqualTo(token);
      LockInfo info = b.inspect(name);
      assertThat(info.name()).isEqualTo(name);
      assertThat(info.holders()).as("holders of '%s'", name).hasSize(1);
      whereLists(() -> assertThat(b.names(name)).as("locks from '%s' on", name).contains(name));
      a.left(claim);
      assertThat(b.inspect(name).isHeld()).as("whether '%s' is held", name).isFalse();
      assertThat(b.evict(name)).as("whether '%s' was held", name).isFalse();
    }
  }

  @Test
  void odd_names_never_collide() {
    Map<String, Claim> held = new LinkedHashMap<>();
    for (String name : odd()) {
      Claim claim = scene().mutex(name);
      a.granted(claim);
      held.put(name, claim);
    }

    held.forEach(
        (name, claim) -> {
          assertThat(b.inspect(name).holders()).as("holders of '%s'", name).hasSize(1);
          assertThat(b.inspect(name).holders().get(0).owner()).isEqualTo(claim.owner());
        });
    held.forEach((name, claim) -> a.left(claim));
  }

  @Test
  void odd_names_can_be_waited_for() throws Exception {
    whereFair(
        () -> {
          for (String name : odd()) {
            Claim holder = scene().mutex(name);
            Claim waiter = scene().mutex(name);
            a.granted(holder);
            b.queued(waiter);
            a.left(holder);
            b.holds(waiter);
            b.left(waiter);
          }
        });
  }

  @Test
  void names_of_the_greatest_length_differ_in_their_last_character() throws Exception {
    String common = lock + "x".repeat(LockName.MAX_LENGTH - 1 - lock.length());
    Claim one = scene().mutex(common + "1");
    Claim two = scene().mutex(common + "2");

    a.granted(one);
    a.granted(two);

    assertThat(b.inspect(one.lock()).holders().get(0).owner()).isEqualTo(one.owner());
    assertThat(b.inspect(two.lock()).holders().get(0).owner()).isEqualTo(two.owner());
    whereLists(() -> assertThat(b.names(common)).containsExactly(common + "1", common + "2"));
  }

  @Test
  void a_name_of_the_greatest_length_may_be_of_any_characters() throws Exception {
    String prefix = lock;
    Claim claim = scene().mutex(prefix + "🔒".repeat(LockName.MAX_LENGTH - prefix.length()));

    a.granted(claim);

    b.busy(scene().mutex(claim.lock()));
    whereLists(() -> assertThat(b.names(prefix)).containsExactly(claim.lock()));
  }

  /** Behind a prefix of this test's own, which a few must do without to be odd at all. */
  private List<String> odd() {
    String own = lock.substring(lock.indexOf('/') + 1);
    List<String> names = new ArrayList<>(ODD.stream().map(name -> own + name).toList());
    Stream.of("../" + own, "./" + own, "/" + own, "//" + own, "}" + own, "{}" + own, " " + own)
        .forEach(names::add);
    return names;
  }
}
