package dev.holdfast.tidy;

import static dev.holdfast.tidy.Wording.name;
import static java.util.regex.Pattern.compile;

import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Names that an idea had before it got one word for all modules. Most are ordinary words elsewhere,
 * so these are refused only where claims are kept: in the stores, and in what they are built on.
 */
final class RetiredWords {

  private static final Wording TOMBSTONES =
      name("\\w*(?:Grave|Burial|Mourn)\\w*|ShortMemory|mourn\\w*", "Tombstone or Tombstones");

  private static final Wording QUEUE = name("MemoryQueue|LockQueue", "ClaimQueue");
  private static final Wording LIMITER = name("Turnstile", "RequestLimiter");
  private static final Wording WAKEUPS = name("Vigil|Lookout", "Wakeups");
  private static final Wording WATCH = name("Newcomers", "HolderWatch");
  private static final Wording EVENTS = name("told", "events");
  private static final Wording CONFIRMED = name("isHeardOf", "isRecentlyConfirmed");

  private static final List<Wording> ANYWHERE =
      List.of(TOMBSTONES, QUEUE, LIMITER, WAKEUPS, WATCH, CONFIRMED);

  private static final List<Wording> TYPES =
      List.of(
          name("Roll|Places|Waiters|Deaths", "ClaimRegistry"),
          name("Entry|Stored|Node|\\w*LockRecord|ClaimArgs", "ClaimRecord"),
          name("Hints?|Wakes", "Wakeups"),
          name("Grants", "HolderWatch"),
          name("Slots|Gate", "RequestLimiter"),
          name("Shared", "SingleFlight"),
          name("Reading|Looking|Listing|RedlockViews", "Reader"),
          name("Diagnoses|Doctor|Checkup|RedlockDoctor", "Diagnosis"),
          name("Refreshing|Verbs|Paths", "Renewal"),
          name("Joining", "JoinProtocol"),
          name("Leaving|Settling", "LeaveProtocol"),
          name("Link|Manners", "StoreConnection or ConnectionPool"),
          name("Strays|Succession", "by a noun of the vocabulary"));

  /** A session of ZooKeeper or Consul is its own word for its own thing. */
  private static final Wording SESSION = name("Session", "StoreConnection or ConnectionPool");

  private static final List<Wording> METHODS =
      List.of(
          EVENTS,
          name("lets?In|wasLetIn|admits?", "grant"),
          name("turn(?:s|ed)?Away", "evict or reject"),
          name("pass(?:es)?On", "handOff"),
          name("dig|bury", "by the verbs of Tombstones"));

  private static final Pattern PACKAGE =
      compile("(?m)^package\\s+[\\w.]*\\b(graves?|graveyard|vigil|joining|leaving|settling)\\b");

  private static final Pattern OF_CORE =
      compile("^holdfast-core/.*/dev/holdfast/(?:memory|register|leased|spi/support)/");

  private static final Pattern TYPE =
      compile("(@Nested\\s[^{;]*?)?\\b(?:class|interface|enum|record)\\s+(\\w+)");

  private static final Pattern METHOD =
      compile(
          "(?<!\\breturn)(?<!\\bnew)(?<=[\\w>\\]])\\s+(\\w+)\\([^;{}]*?\\)\\s*(?:throws [\\w., ]+)?[{;]");

  private static final Pattern TEST_SUFFIX = compile("(?:Self)?(?:Test|Contract|IT)+$");

  private RetiredWords() {}

  static Stream<String> findings(Source source) {
    return Stream.of(
            source.matcher(PACKAGE).results().map(match -> finding(source, match, 1, "by a noun")),
            source
                .matcher(TYPE)
                .results()
                .filter(match -> match.group(1) == null) // a group of tests reads as a heading
                .flatMap(match -> type(source, match)),
            source.matcher(METHOD).results().flatMap(match -> method(source, match)))
        .flatMap(findings -> findings);
  }

  private static Stream<String> type(Source source, MatchResult match) {
    String type = TEST_SUFFIX.matcher(match.group(2)).replaceFirst("");
    Stream<Wording> here =
        Stream.concat(
            keepsClaims(source) ? TYPES.stream() : Stream.empty(),
            hasConnections(source) ? Stream.of(SESSION) : Stream.empty());
    return Stream.concat(ANYWHERE.stream(), here)
        .filter(word -> word.pattern().matcher(type).matches())
        .map(word -> finding(source, match, 2, word.better()));
  }

  private static Stream<String> method(Source source, MatchResult match) {
    Stream<Wording> here =
        source.isMain() && keepsClaims(source) ? METHODS.stream() : Stream.empty();
    return Stream.concat(ANYWHERE.stream(), here)
        .filter(word -> word.pattern().matcher(match.group(1)).matches())
        .map(word -> finding(source, match, 1, word.better()));
  }

  private static boolean keepsClaims(Source source) {
    return source.path().startsWith("stores/") || OF_CORE.matcher(source.path()).find();
  }

  private static boolean hasConnections(Source source) {
    return source.module().endsWith("-jdbc") || source.module().endsWith("-memcached");
  }

  private static String finding(Source source, MatchResult match, int group, String better) {
    return source.at(match.start(group)) + ": '" + match.group(group) + "': name it " + better;
  }
}
