package dev.holdfast.jdbc.sql;

import static java.util.Objects.requireNonNull;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Statements with their values, which are sent and answered together, in one round trip. After one
 * that fails, no other runs. Not thread-safe.
 */
public final class Script {

  /** Reads what a query found. */
  @FunctionalInterface
  public interface ResultReader<T> {
    T read(ResultSet result) throws SQLException;
  }

  /**
   * A statement.
   *
   * @param aside reads a result that is not among the answers
   */
  private record Step(
      String sql, @Nullable Object[] values, boolean asks, @Nullable ResultReader<?> aside) {}

  // Mutable state
  private final List<Step> steps = new ArrayList<>();

  public Script add(String sql, @Nullable Object... values) {
    steps.add(new Step(sql, values, false, null));
    return this;
  }

  public Script addAll(List<String> more) {
    more.forEach(this::add);
    return this;
  }

  /** Adds a query whose result is read. */
  public Script ask(String sql, @Nullable Object... values) {
    steps.add(new Step(sql, values, true, null));
    return this;
  }

  /** Adds a query with its own reader, whose result is not among the answers. */
  public Script read(ResultReader<?> reader, String sql, @Nullable Object... values) {
    steps.add(new Step(sql, values, true, reader));
    return this;
  }

  public int size() {
    return steps.size();
  }

  /** Runs all. */
  public void run(StoreConnection connection) throws SQLException {
    answers(connection, result -> true);
  }

  /** Runs all statements and reads the result of the only query. */
  public <T> T run(StoreConnection connection, ResultReader<T> reading) throws SQLException {
    return answers(connection, reading).get(0);
  }

  /** Runs all statements and reads the result of each query. */
  public <T> List<T> answers(StoreConnection connection, ResultReader<T> reading)
      throws SQLException {
    String script = steps.stream().map(Step::sql).collect(Collectors.joining("; "));
    String compound = connection.dialect().compound(script);
    PreparedStatement statement = connection.prepareScript(compound == null ? script : compound);
    int before = 0;
    for (Step step : steps) {
      StoreConnection.bind(statement, before, step.values);
      before += step.values.length;
    }
    statement.execute();
    List<T> answers = new ArrayList<>(1);
    List<Step> answered =
        compound == null ? steps : steps.stream().filter(step -> step.asks).toList();
    for (int i = 0; i < answered.size(); i++) {
      if (i > 0) {
        statement.getMoreResults(); // throws if that one failed
      }
      Step step = answered.get(i);
      if (step.asks) {
        try (ResultSet result = requireNonNull(statement.getResultSet())) {
          if (step.aside == null) {
            answers.add(reading.read(result));
          } else {
            step.aside.read(result);
          }
        }
      }
    }
    while (compound != null && (statement.getMoreResults() || statement.getUpdateCount() >= 0)) {
      // to its end: only then is it known that none failed
    }
    return answers;
  }

  /** Runs all in batches, one for each text, in the order in which the texts came first. */
  public void runInBatches(StoreConnection connection) throws SQLException {
    Map<String, List<Step>> bySql =
        steps.stream()
            .collect(Collectors.groupingBy(Step::sql, LinkedHashMap::new, Collectors.toList()));
    for (List<Step> same : bySql.values()) {
      // A single row is not sent as a batch: some drivers prepare those at length. Nor is a query.
      boolean batch = same.size() > 1 && !same.get(0).asks;
      for (Step step : same) {
        PreparedStatement statement = connection.prepare(step.sql, step.values);
        if (batch) {
          statement.addBatch();
        } else {
          statement.execute();
        }
      }
      if (batch) {
        connection.prepare(same.get(0).sql).executeBatch();
      }
    }
  }
}
