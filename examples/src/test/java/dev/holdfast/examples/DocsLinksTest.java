package dev.holdfast.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** A link inside the project leads to a file, and to a heading of it where it names one. */
class DocsLinksTest {

  private static final Pattern LINK = Pattern.compile("\\[[^\\]]*\\]\\(([^)\\s]+)\\)");
  private static final Pattern ELSEWHERE = Pattern.compile("[a-z][a-z+.-]*:.*");
  private static final Pattern HEADING = Pattern.compile("#{1,6} +(.*)");

  @Test
  void every_relative_link_leads_somewhere() {
    List<String> broken = new ArrayList<>();
    for (Path document : Repository.documents()) {
      String name = Repository.name(document);
      for (String link : links(Repository.read(document))) {
        if (!leadsSomewhere(document, link)) {
          broken.add(name + ": " + link);
        }
      }
    }
    assertThat(broken).isEmpty();
  }

  @Test
  void a_broken_link_is_found() {
    Path readme = Repository.root().resolve("README.md");
    assertThat(leadsSomewhere(readme, "LICENSE")).isTrue();
    assertThat(leadsSomewhere(readme, "no-such-file.md")).isFalse();
    assertThat(leadsSomewhere(readme, "#no-such-heading")).isFalse();
  }

  @Test
  void links_in_code_are_left_alone() {
    assertThat(links("[a](b.md)\n```text\n[c](d.md)\n```\n`[e](f.md)` [g](https://example.org)"))
        .containsExactly("b.md");
  }

  private static List<String> links(String markdown) {
    List<String> links = new ArrayList<>();
    for (String line : prose(markdown)) {
      Matcher link = LINK.matcher(line.replaceAll("`[^`]*`", ""));
      while (link.find()) {
        if (!ELSEWHERE.matcher(link.group(1)).matches()) {
          links.add(link.group(1));
        }
      }
    }
    return links;
  }

  private static boolean leadsSomewhere(Path document, String link) {
    int hash = link.indexOf('#');
    String path = hash < 0 ? link : link.substring(0, hash);
    Path target = path.isEmpty() ? document : document.resolveSibling(path);
    if (!Files.exists(target)) {
      return false;
    }
    return hash < 0 || headings(Repository.read(target)).contains(link.substring(hash + 1));
  }

  /** The anchors that forges make of headings. */
  private static List<String> headings(String markdown) {
    return prose(markdown).stream()
        .map(HEADING::matcher)
        .filter(Matcher::matches)
        .map(matcher -> matcher.group(1).strip().toLowerCase(Locale.ROOT))
        .map(text -> text.replaceAll("[^\\p{L}\\p{N}\\- _]", "").replace(' ', '-'))
        .toList();
  }

  private static List<String> prose(String markdown) {
    List<String> lines = new ArrayList<>();
    boolean code = false;
    for (String line : markdown.lines().toList()) {
      if (line.strip().startsWith("```")) {
        code = !code;
      } else if (!code) {
        lines.add(line);
      }
    }
    return lines;
  }
}
