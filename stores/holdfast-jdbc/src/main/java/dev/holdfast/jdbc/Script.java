package dev.holdfast.jdbc;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Statements that are sent together and answered together: one round trip. If one fails, those
 * after it do not run. Not thread-safe.
 */
final class Script {

  /** Sets a statement's parameters; the first of them is the one after {@code before}. */
  @FunctionalInterface
  interface Binding {
    void bind(PreparedStatement statement, int before) throws SQLException;
  }

  private static final Binding NONE = (statement, before) -> {};

  // Mutable state
  private final List<String> texts = new ArrayList<>();
  private final List<Binding> bindings = new ArrayList<>();

  Script add(String text) {
    return add(text, NONE);
  }

  Script add(String text, Binding binding) {
    texts.add(text);
    bindings.add(binding);
    return this;
  }

  /** Runs all; what the last one found, if it is a query. */
  @Nullable ResultSet run(Session session) throws SQLException {
    PreparedStatement statement = session.prepareScript(String.join("; ", texts));
    int before = 0;
    for (int i = 0; i < texts.size(); i++) {
      bindings.get(i).bind(statement, before);
      before += (int) texts.get(i).chars().filter(character -> character == '?').count();
    }
    statement.execute();
    for (int i = 1; i < texts.size(); i++) {
      statement.getMoreResults();
    }
    return statement.getResultSet();
  }
}
