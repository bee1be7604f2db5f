package dev.holdfast.jdbc.sql;

import dev.holdfast.Finding;
import java.lang.System.Logger.Level;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds what others have added to our tables that runs with the rights of their users, as far as
 * the database and this user's rights show it. Checked when a store is opened and by the doctor,
 * never by a lock.
 */
public final class TableSafety {

  /** The tables' names, for the text of a statement. */
  static final String NAMES =
      "'holdfast_schema', 'holdfast_lock', 'holdfast_claim', 'holdfast_fence'";

  private static final System.Logger LOG = System.getLogger(TableSafety.class.getName());

  private TableSafety() {}

  /** Returns what is wrong with the tables. */
  public static List<Finding> examine(StoreConnection connection) throws SQLException {
    List<Finding> findings = new ArrayList<>();
    String query = connection.dialect().intrusions().replace("NAMES", NAMES);
    try (ResultSet rows = connection.prepare(query).executeQuery()) {
      while (rows.next()) {
        // Chosen by others.
        String name = rows.getString(3).replaceAll("[^\\x20-\\x7e]", "?");
        findings.add(Finding.warning(message(rows.getString(1), rows.getString(2), name)));
      }
    }
    return findings;
  }

  /** Logs what is wrong. A user without access to the catalogue can use the tables all the same. */
  static void warn(StoreConnection connection, String url) {
    try {
      examine(connection)
          .forEach(found -> LOG.log(Level.WARNING, "{0}: {1}", url, found.message()));
    } catch (SQLException e) {
      LOG.log(Level.DEBUG, "Cannot look at the owners and triggers of the tables of " + url, e);
    }
  }

  /**
   * Returns {@link Dialect#intrusions} for engines with the standard's catalogue, in which tables
   * have no owners.
   */
  public static String standardQuery(String schema) {
    return """
        SELECT event_object_table, 'trigger', trigger_name FROM information_schema.triggers
            WHERE event_object_schema = SCHEMA AND LOWER(event_object_table) IN (NAMES)
        UNION ALL SELECT table_name, 'kind', table_type FROM information_schema.tables
            WHERE table_schema = SCHEMA AND LOWER(table_name) IN (NAMES)
            AND table_type <> 'BASE TABLE'"""
        .replace("SCHEMA", schema);
  }

  private static String message(String table, String what, String name) {
    String found =
        switch (what) {
          case "owner" ->
              "belongs to '"
                  + name
                  + "', which is neither this user nor the owner of the schema or the database, and"
                  + " can add code that runs with your rights";
          case "kind" -> "is not an ordinary table (" + name + "), so others decide what it holds";
          case "policy" -> "has row security, so some see locks that others do not";
          default ->
              "has the " + what + " '" + name + "', which runs with each lock and can change it";
        };
    return "the table "
        + table
        + " "
        + found
        + "; unless you meant it, keep the tables in a separate schema, which only their owner"
        + " can change";
  }
}
