package dev.holdfast.testkit.explorer;

import dev.holdfast.Holdfast;
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
 * The engine with a {@link Mutant} in it: the changed sources are compiled into a folder, and a
 * class loader finds them before the real ones. Everything of Holdfast is loaded again by it, so
 * the mutant is seen by nobody else.
 */
final class MutantEngine extends URLClassLoader {

  private static final Path SOURCES = Path.of("..", "holdfast-core", "src", "main", "java");
  private static final String ENGINE = "dev/holdfast/engine/";

  private MutantEngine(URL[] urls) {
    super(urls, MutantEngine.class.getClassLoader());
  }

  /**
   * Explores a world on the engine with this mutant.
   *
   * @return the name of the violated invariant, a line feed and the trace; empty if none is
   */
  static String explore(Mutant mutant, Path folder) throws Exception {
    compile(mutant, folder);
    List<URL> urls = new ArrayList<>();
    urls.add(folder.resolve("classes").toUri().toURL());
    for (Class<?> known : List.of(Holdfast.class, Explorer.class, MutantEngine.class)) {
      urls.add(location(known).toUri().toURL());
    }
    try (MutantEngine loader = new MutantEngine(urls.toArray(URL[]::new))) {
      Method explore =
          loader.loadClass(Mutants.class.getName()).getDeclaredMethod("explore", String.class);
      explore.setAccessible(true); // the same package of another loader is another package
      return (String) explore.invoke(null, mutant.name());
    }
  }

  private static Path location(Class<?> known) throws URISyntaxException {
    return Path.of(known.getProtectionDomain().getCodeSource().getLocation().toURI());
  }

  private static void compile(Mutant mutant, Path folder) throws Exception {
    Map<String, String> changed = new TreeMap<>();
    for (Mutant.Edit edit : mutant.edits()) {
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

  private static String replaceOnce(String source, Mutant.Edit edit) {
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
