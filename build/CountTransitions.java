import com.sun.source.tree.BlockTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.EnhancedForLoopTree;
import com.sun.source.tree.ForLoopTree;
import com.sun.source.tree.IfTree;
import com.sun.source.tree.LambdaExpressionTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.StatementTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.WhileLoopTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Makes an engine that counts its transitions: copies the sources of the state machine, puts a
 * counter at the start of each event and each branch, and compiles them.
 *
 * <p>Usage: java build/CountTransitions.java SOURCES CLASSPATH FOLDER, where SOURCES is the folder
 * that has dev/holdfast. FOLDER/classes belongs in front of the class path; what was counted is in
 * dev.holdfast.engine.state.Taken. Other programs run with the same class path are not changed.
 */
final class CountTransitions {

  private static final String PACKAGE = "dev/holdfast/engine/state/";

  /** Which files decide what happens; the others of the package keep and compute. */
  private static final List<String> FILES =
      List.of(
          "Transitions.java",
          "HoldTransitions.java",
          "Endings.java",
          "KeptClaims.java",
          "Tries.java");

  private final List<String> names = new ArrayList<>();
  private final Map<String, Integer> seen = new HashMap<>();

  private CountTransitions() {}

  public static void main(String[] arguments) throws IOException {
    Path folder = Path.of(arguments[2]);
    new CountTransitions().run(Path.of(arguments[0]), arguments[1], folder);
  }

  private void run(Path sources, String classPath, Path folder) throws IOException {
    Path changed = Files.createDirectories(folder.resolve("sources").resolve(PACKAGE));
    Path classes = Files.createDirectories(folder.resolve("classes"));
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    List<Path> made = new ArrayList<>();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      for (String file : FILES) {
        Path source = sources.resolve(PACKAGE + file);
        made.add(Files.writeString(changed.resolve(file), counting(compiler, files, source)));
      }
      made.add(Files.writeString(changed.resolve("Taken.java"), taken()));
      List<String> options =
          List.of("-proc:none", "-nowarn", "-cp", classPath, "-d", classes.toString());
      Iterable<? extends JavaFileObject> all = files.getJavaFileObjectsFromPaths(made);
      if (!compiler.getTask(null, files, null, options, null, all).call()) {
        throw new IllegalStateException("the engine that counts does not compile");
      }
    }
  }

  private String counting(JavaCompiler compiler, StandardJavaFileManager files, Path source)
      throws IOException {
    JavacTask task =
        (JavacTask)
            compiler.getTask(
                null, files, null, List.of("-proc:none"), null, files.getJavaFileObjects(source));
    StringBuilder text = new StringBuilder(Files.readString(source));
    SourcePositions positions = Trees.instance(task).getSourcePositions();
    for (CompilationUnitTree unit : task.parse()) {
      Scanner scanner = new Scanner(unit, positions);
      scanner.scan(unit, null);
      scanner.insertions.descendingMap().forEach(text::insert); // from the end, so that places stay
    }
    // Libraries are not on the class path, and this one matters to static checks only.
    return text.toString()
        .replace("import org.jspecify.annotations.Nullable;\n", "")
        .replace("@Nullable ", "");
  }

  private String taken() {
    StringBuilder text = new StringBuilder("package dev.holdfast.engine.state;\n\n");
    text.append("public final class Taken {\n  public static final String[] NAMES = {\n");
    for (String name : names) {
      text.append("    \"").append(name.replace("\\", "\\\\").replace("\"", "\\\"")).append("\",\n");
    }
    text.append("  };\n  public static final long[] COUNTS = new long[NAMES.length];\n\n");
    return text.append("  static void at(int i) {\n    COUNTS[i]++;\n  }\n}\n").toString();
  }

  /** Finds the events and branches of one file, and where their counters belong. */
  private final class Scanner extends TreeScanner<Void, Void> {
    final TreeMap<Integer, String> insertions = new TreeMap<>();
    private final CompilationUnitTree unit;
    private final SourcePositions positions;

    // Mutable state
    private String type = "";
    private String method = "";

    Scanner(CompilationUnitTree unit, SourcePositions positions) {
      this.unit = unit;
      this.positions = positions;
    }

    @Override
    public Void visitClass(ClassTree tree, Void unused) {
      type = type.isEmpty() ? tree.getSimpleName().toString() : type;
      return super.visitClass(tree, unused);
    }

    @Override
    public Void visitMethod(MethodTree tree, Void unused) {
      if (tree.getReturnType() == null || tree.getBody() == null) {
        return null; // a constructor
      }
      method = type + "." + tree.getName();
      countIn(tree.getBody(), "");
      return super.visitMethod(tree, unused);
    }

    @Override
    public Void visitLambdaExpression(LambdaExpressionTree tree, Void unused) {
      return null;
    }

    @Override
    public Void visitIf(IfTree tree, Void unused) {
      String condition = tree.getCondition().toString().replaceAll("\\s+", " ");
      String name = name(": if " + condition);
      countIn(tree.getThenStatement(), name);
      StatementTree otherwise = tree.getElseStatement();
      if (otherwise == null) {
        int end = (int) positions.getEndPosition(unit, tree.getThenStatement());
        insertions.put(end, " else { " + counter(name + ": no") + " }");
      } else if (otherwise instanceof BlockTree) {
        countIn(otherwise, name + ": no");
      }
      return super.visitIf(tree, unused);
    }

    @Override
    public Void visitEnhancedForLoop(EnhancedForLoopTree tree, Void unused) {
      countIn(tree.getStatement(), name(": each of " + tree.getExpression()));
      return super.visitEnhancedForLoop(tree, unused);
    }

    @Override
    public Void visitForLoop(ForLoopTree tree, Void unused) {
      countIn(tree.getStatement(), name(": for " + tree.getCondition()));
      return super.visitForLoop(tree, unused);
    }

    @Override
    public Void visitWhileLoop(WhileLoopTree tree, Void unused) {
      countIn(tree.getStatement(), name(": while " + tree.getCondition()));
      return super.visitWhileLoop(tree, unused);
    }

    private void countIn(Tree block, String name) {
      int start = (int) positions.getStartPosition(unit, block);
      insertions.put(start + 1, " " + counter(name.isEmpty() ? name("") : name));
    }

    private String counter(String name) {
      names.add(name);
      return "Taken.at(" + (names.size() - 1) + ");";
    }

    /** The same condition twice in a method has two names. */
    private String name(String what) {
      String name = method + what;
      int times = seen.merge(name, 1, Integer::sum);
      return times == 1 ? name : name + " #" + times;
    }
  }
}
