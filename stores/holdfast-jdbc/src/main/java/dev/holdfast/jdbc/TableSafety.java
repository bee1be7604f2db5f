package dev.holdfast.jdbc;

import dev.holdfast.Finding;
import java.lang.System.Logger.Level;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Whether others have put something on our tables that acts with the rights of those who use them,
 * as far as the database and this user's rights tell. Looked at when the store is opened and by the
 * doctor, never by a lock.
 */
final class TableSafety {

  /** In the texts of statements. */
  static final String NAMES =
      "'holdfast_schema', 'holdfast_lock', 'holdfast_claim', 'holdfast_fence'";

  private static final System.Logger LOG = System.getLogger(TableSafety.class.getName());

  private TableSafety() {}

  /** What is wrong with the tables. */
  static List<Finding> examine(Session session) throws SQLException {
    List<Finding> findings = new ArrayList<>();
    try (ResultSet rows = session.prepare(session.dialect().intrusions()).executeQuery()) {
      while (rows.next()) {
        // Others have chosen the name.
        String name = rows.getString(3).replaceAll("[^\\x20-\\x7e]", "?");
        findings.add(Finding.warning(message(rows.getString(1), rows.getString(2), name)));
      }
    }
    return findings;
  }

  /** Logs it. A user that may not look at the catalogue can use the tables all the same. */
  static void warn(Session session, String url) {
    try {
      examine(session).forEach(found -> LOG.log(Level.WARNING, "{0}: {1}", url, found.message()));
    } catch (SQLException e) {
      LOG.log(Level.DEBUG, "Cannot look at the owners and triggers of the tables of " + url, e);
    }
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
        + "; unless you meant it, keep the tables in a schema of their own, which only their owner"
        + " can change";
  }
}
