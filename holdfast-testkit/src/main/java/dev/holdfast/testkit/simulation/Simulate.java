package dev.holdfast.testkit.simulation;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The command {@code ./holdfast simulate}. */
public final class Simulate {

  static final int BROKEN = 1;
  static final int USAGE = 64;

  private static final String HELP =
      """
      Usage: holdfast simulate [OPTION]…

      Simulates whole systems: the real client over a model of a store, several machines whose
      clocks drift, jump, stand still and sleep, networks that lose, delay and double messages,
      clients that crash, stores that forget, operators who break locks, and a resource behind a
      fence. What every caller learns is compared with the promises of docs/GUARANTEES.md.

      One simulation is one hour, drawn from one seed. It ends at the first broken promise, with
      the shortest schedule that breaks it.

        --hours N       simulated hours (default 300)
        --minutes N     runs for as long, of real time, instead
        --seed N        runs the simulation of this seed alone, or begins with it
        --trace         with --seed: prints what was observed
        --transitions   prints how often each transition of the engine's state machine was taken
        --store NAME    memory (default), or register: what Memcached's locks rest on
        --threads N     how many run at the same time (default: one for each processor)
        --json          prints the result as JSON
        --help          prints this

      Exit codes: 0 every promise was kept, 1 one was broken, 64 wrong usage.

      Examples:
        holdfast simulate --hours 100000
        holdfast simulate --minutes 10 --seed 5000
        holdfast simulate --seed 4711 --trace
      """;

  private Simulate() {}

  /** Runs it, and ends the JVM with its exit code. */
  public static void main(String[] arguments) {
    System.exit(run(List.of(arguments)));
  }

  static int run(List<String> arguments) {
    if (arguments.contains("--help") || arguments.contains("-h")) {
      System.out.print(HELP);
      return 0;
    }
    Options options;
    try {
      options = Options.parse(arguments);
    } catch (IllegalArgumentException wrong) {
      System.err.println("holdfast simulate: " + wrong.getMessage() + "; see --help");
      return USAGE;
    }
    Simulations simulations = new Simulations(options.setting());
    if (options.trace()) {
      simulations.observations(options.seed()).forEach(System.out::println);
    }
    Progress progress = new Progress(options, simulations);
    Optional<Failure> failure = new Campaign(options, simulations, progress).run();
    progress.end();
    Coverage coverage = Coverage.now();
    if (options.transitions()) {
      System.out.println(coverage.table());
    }
    Result result = new Result(simulations.stats(), progress.processorSeconds(), coverage, failure);
    System.out.println(options.json() ? result.json() : result.text());
    return failure.isPresent() ? BROKEN : 0;
  }

  /**
   * What was asked for.
   *
   * @param hours how many are simulated; without limit if there is a limit of time
   * @param time how long it may take; zero without limit
   */
  record Options(
      long hours,
      Duration time,
      long seed,
      boolean trace,
      boolean transitions,
      Setting setting,
      int threads,
      boolean json) {

    static Options parse(List<String> arguments) {
      long hours = -1;
      Duration time = Duration.ZERO;
      long seed = 1;
      boolean alone = false;
      boolean trace = false;
      boolean transitions = false;
      boolean json = false;
      Setting setting = Setting.standard();
      int threads = Runtime.getRuntime().availableProcessors();
      for (int i = 0; i < arguments.size(); i++) {
        String argument = arguments.get(i);
        switch (argument) {
          case "--json" -> json = true;
          case "--trace" -> trace = true;
          case "--transitions" -> transitions = true;
          case "--hours" -> hours = number(arguments, ++i, 1);
          case "--minutes" -> time = Duration.ofMinutes(number(arguments, ++i, 1));
          case "--threads" -> threads = (int) number(arguments, ++i, 1);
          case "--store" -> setting = store(value(arguments, ++i));
          case "--seed" -> {
            seed = number(arguments, ++i, 0);
            alone = true;
          }
          default -> throw new IllegalArgumentException("unknown option " + argument);
        }
      }
      if (hours < 0) {
        hours = !time.isZero() ? Long.MAX_VALUE : alone ? 1 : 300;
      }
      if (trace && !alone) {
        throw new IllegalArgumentException("--trace needs --seed");
      }
      return new Options(hours, time, seed, trace, transitions, setting, threads, json);
    }

    private static Setting store(String name) {
      return switch (name) {
        case "memory" -> Setting.standard();
        case "register" -> Setting.register();
        default -> throw new IllegalArgumentException("no store '" + name + "' can be simulated");
      };
    }

    private static String value(List<String> arguments, int index) {
      if (index >= arguments.size()) {
        throw new IllegalArgumentException(arguments.get(index - 1) + " needs a value");
      }
      return arguments.get(index);
    }

    private static long number(List<String> arguments, int index, long least) {
      String text = value(arguments, index);
      try {
        long number = Long.parseLong(text);
        if (number >= least) {
          return number;
        }
      } catch (NumberFormatException notANumber) {
        // the same message
      }
      throw new IllegalArgumentException(
          arguments.get(index - 1) + " needs a number from " + least + ", not '" + text + "'");
    }
  }
}
