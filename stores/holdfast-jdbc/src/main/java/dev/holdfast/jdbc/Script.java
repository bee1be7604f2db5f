package dev.holdfast.jdbc;

import static java.util.Objects.requireNonNull;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

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

  /** Reads what a query found. */
  @FunctionalInterface
  interface Reading<T> {
    T read(ResultSet result) throws SQLException;
  }

  private static final Binding NONE = (statement, before) -> {};

  // Mutable state
  private final List<String> texts = new ArrayList<>();
  private final List<Binding> bindings = new ArrayList<>();
  private final BitSet questions = new BitSet();

  Script add(String text) {
    return add(text, NONE);
  }

  Script addAll(List<String> more) {
    more.forEach(this::add);
    return this;
  }

  Script add(String text, Binding binding) {
    texts.add(text);
    bindings.add(binding);
    return this;
  }

  /** Adds a query whose answer is wanted. */
  Script ask(String text, Binding binding) {
    questions.set(texts.size());
    return add(text, binding);
  }

  /** Runs all. */
  void run(Session session) throws SQLException {
    answers(session, result -> true);
  }

  /** Runs all, and reads what the one query found whose answer is wanted. */
  <T> T run(Session session, Reading<T> reading) throws SQLException {
    return answers(session, reading).get(0);
  }

  /** Runs all, and reads what each query found whose answer is wanted. */
  <T> List<T> answers(Session session, Reading<T> reading) throws SQLException {
    PreparedStatement statement = execute(session);
    List<T> answers = new ArrayList<>(questions.cardinality());
    for (int i = 0; i < texts.size(); i++) {
      if (i > 0) {
        statement.getMoreResults(); // throws if that one failed
      }
      if (questions.get(i)) {
        try (ResultSet result = requireNonNull(statement.getResultSet())) {
          answers.add(reading.read(result));
        }
      }
    }
    return answers;
  }

  private PreparedStatement execute(Session session) throws SQLException {
    PreparedStatement statement = session.prepareScript(String.join("; ", texts));
    int before = 0;
    for (int i = 0; i < texts.size(); i++) {
      bindings.get(i).bind(statement, before);
      before += (int) texts.get(i).chars().filter(character -> character == '?').count();
    }
    statement.execute();
    return statement;
  }
}
