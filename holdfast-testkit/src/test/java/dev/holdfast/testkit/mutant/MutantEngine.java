package dev.holdfast.testkit.mutant;

import dev.holdfast.Holdfast;
import dev.holdfast.testkit.Verb;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Method;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.spi.ToolProvider;

/**
 * A changed engine: the changed sources are compiled into a folder, and a class loader finds them
 * before the real ones. Everything of Holdfast is loaded again by it, so no other test sees it.
 */
public final class MutantEngine extends URLClassLoader {

  private static final Path SOURCES = Path.of("..", "holdfast-core", "src", "main", "java");
  private static final Path COUNTER = Path.of("..", "build", "CountTransitions.java");
  private static final String ENGINE = "dev/holdfast/engine/";

  private MutantEngine(URL[] urls) {
    super(urls, MutantEngine.class.getClassLoader());
  }

  /**
   * Calls a static method that takes and returns a text, on the engine with these changes.
   *
   * @param folder for the changed engine
   * @param entry the class that has the method
   */
  public static String call(
      List<Edit> edits, Path folder, Class<?> entry, String method, String argument)
      throws Exception {
    change(edits, folder);
    return call(folder, entry, method, argument);
  }

  /** As the other one, on an engine without changes that counts its transitions. */
  public static String callCounting(Path folder, Class<?> entry, String method, String argument)
      throws Exception {
    Path log = folder.resolve("log");
    int status =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                COUNTER.toString(),
                SOURCES.toString(),
                location(Holdfast.class).toString(),
                folder.toString())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start()
            .waitFor();
    if (status != 0) {
      throw new IllegalStateException(Files.readString(log));
    }
    return call(folder, entry, method, argument);
  }

  private static String call(Path folder, Class<?> entry, String method, String argument)
      throws Exception {
    List<URL> urls = new ArrayList<>();
    urls.add(folder.resolve("classes").toUri().toURL());
    for (Class<?> known : List.of(Holdfast.class, Verb.class, entry)) {
      urls.add(location(known).toUri().toURL());
    }
    try (MutantEngine loader = new MutantEngine(urls.toArray(URL[]::new))) {
      Method called = loader.loadClass(entry.getName()).getDeclaredMethod(method, String.class);
      called.setAccessible(true); // the same package of another loader is another package
      return (String) called.invoke(null, argument);
    }
  }

  private static Path location(Class<?> known) throws URISyntaxException {
    return Path.of(known.getProtectionDomain().getCodeSource().getLocation().toURI());
  }

  private static void change(List<Edit> edits, Path folder) throws Exception {
    Map<String, String> changed = new TreeMap<>();
    for (Edit edit : edits) {
      String source = changed.get(edit.file());
      if (source == null) {
        source = Files.readString(SOURCES.resolve(ENGINE + edit.file()));
      }
      changed.put(edit.file(), replaceOnce(source, edit));
    }
    List<Path> files = new ArrayList<>();
    for (Map.Entry<String, String> entry : changed.entrySet()) {
      Path file = folder.resolve("sources").resolve(ENGINE + entry.getKey());
      Files.createDirectories(file.getParent());
      files.add(Files.writeString(file, entry.getValue()));
    }
    compile(files, Files.createDirectories(folder.resolve("classes")));
  }

  private static String replaceOnce(String source, Edit edit) {
    int at = source.indexOf(edit.before());
    if (at < 0 || source.indexOf(edit.before(), at + 1) >= 0) {
      throw new IllegalStateException(
          "must occur exactly once in " + edit.file() + ": " + edit.before());
    }
    return source.replace(edit.before(), edit.after());
  }

  private static void compile(List<Path> files, Path classes) {
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of("-proc:none", "-nowarn", "-d", classes.toString()));
    arguments.addAll(List.of("-classpath", System.getProperty("java.class.path")));
    files.forEach(file -> arguments.add(file.toString()));
    StringWriter messages = new StringWriter();
    PrintWriter printer = new PrintWriter(messages);
    ToolProvider javac = ToolProvider.findFirst("javac").orElseThrow();
    if (javac.run(printer, printer, arguments.toArray(String[]::new)) != 0) {
      throw new IllegalStateException("the mutant does not compile: " + messages);
    }
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!name.startsWith("dev.holdfast.")) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> known = findLoadedClass(name);
      return known != null ? known : findClass(name);
    }
  }
}
