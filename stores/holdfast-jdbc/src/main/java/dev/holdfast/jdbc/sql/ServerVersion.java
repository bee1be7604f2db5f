package dev.holdfast.jdbc.sql;

import java.lang.module.ModuleDescriptor.Version;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;

/** The version of a database. */
public final class ServerVersion {

  private ServerVersion() {}

  /** Returns whether the database has this version or a newer one. */
  public static boolean isFrom(String oldest, DatabaseMetaData about) throws SQLException {
    return Version.parse(of(about)).compareTo(Version.parse(oldest)) >= 0;
  }

  static String of(DatabaseMetaData about) throws SQLException {
    return about.getDatabaseMajorVersion() + "." + about.getDatabaseMinorVersion();
  }
}
