import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

/**
 * Compares what the modules bring, by the lists of parts that their build wrote, with what holdfast-bom manages: each
 * library must be there, in the version that was built and tested. Exits with 1 and names those that are not.
 *
 * <pre>java ManagedDependencies.java BOM-POM LIST-OF-PARTS…</pre>
 */
class ManagedDependencies {
  private static final Pattern PART = Pattern.compile("\"purl\"\\s*:\\s*\"pkg:maven/([^/\"]+)/([^@\"]+)@([^?\"]+)");
  private static final Pattern PROPERTY = Pattern.compile("\\$\\{([^}]+)}");

  /** By group:artifact, or by group where a whole bill of materials is imported. */
  private final Map<String, String> managed = new HashMap<>();

  public static void main(String[] args) throws Exception {
    ManagedDependencies check = new ManagedDependencies(Path.of(args[0]));
    List<String> problems = new ArrayList<>();
    int parts = 0;
    for (String list : List.of(args).subList(1, args.length)) {
      parts += check.compare(Path.of(list), problems);
    }
    new TreeSet<>(problems).forEach(System.out::println);
    if (parts == 0) {
      System.out.println("no list of parts was given, or all of them are empty");
    }
    System.exit(problems.isEmpty() && parts > 0 ? 0 : 1);
  }

  private ManagedDependencies(Path bom) throws Exception {
    Element project =
        DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(bom.toFile()).getDocumentElement();
    Map<String, String> properties = new HashMap<>(Map.of("project.version", child(project, "version")));
    NodeList defined = project.getElementsByTagName("properties").item(0).getChildNodes();
    for (int i = 0; i < defined.getLength(); i++) {
      properties.put(defined.item(i).getNodeName(), defined.item(i).getTextContent());
    }
    NodeList dependencies = project.getElementsByTagName("dependency");
    for (int i = 0; i < dependencies.getLength(); i++) {
      Element dependency = (Element) dependencies.item(i);
      String group = child(dependency, "groupId");
      String key = child(dependency, "scope").equals("import") ? group : group + ":" + child(dependency, "artifactId");
      managed.put(
          key,
          PROPERTY
              .matcher(child(dependency, "version"))
              .replaceAll(found -> Matcher.quoteReplacement(properties.get(found.group(1)))));
    }
  }

  private int compare(Path list, List<String> problems) throws IOException {
    int parts = 0;
    for (Matcher part = PART.matcher(Files.readString(list)); part.find(); parts++) {
      String name = part.group(1) + ":" + part.group(2);
      String version = managed.getOrDefault(name, managed.get(part.group(1)));
      if (version == null) {
        problems.add(name + " " + part.group(3) + " is not managed: add it to holdfast-bom/pom.xml (" + list + ")");
      } else if (!version.equals(part.group(3))) {
        problems.add(name + " was built in version " + part.group(3) + ", holdfast-bom manages " + version);
      }
    }
    return parts;
  }

  private static String child(Element parent, String name) {
    for (Node node = parent.getFirstChild(); node != null; node = node.getNextSibling()) {
      if (node.getNodeName().equals(name)) {
        return node.getTextContent().trim();
      }
    }
    return "";
  }
}
