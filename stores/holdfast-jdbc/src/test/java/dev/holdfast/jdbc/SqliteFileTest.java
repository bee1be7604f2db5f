package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.StoreException;
import dev.holdfast.jdbc.dialect.NetworkFileSystem;
import dev.holdfast.jdbc.dialect.SqliteFile;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which file a URL means, and where it may be. */
class SqliteFileTest {

  @TempDir Path directory;

  @Test
  void a_path_is_made_absolute() {
    Path here = Path.of("").toAbsolutePath();

    assertThat(SqliteFile.of("sqlite:a/../locks.db").path()).isEqualTo(here.resolve("locks.db"));
    assertThat(SqliteFile.of("jdbc:sqlite:/x/locks.db").path()).isEqualTo(Path.of("/x/locks.db"));
    assertThat(SqliteFile.of("sqlite:///x/locks.db").path()).isEqualTo(Path.of("/x/locks.db"));
    assertThat(SqliteFile.of("sqlite:/x/a%20b's \"c\".db").path())
        .isEqualTo(Path.of("/x/a%20b's \"c\".db"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "nfs",
        "nfs4",
        "NFS",
        "cifs",
        "smb3",
        "smbfs",
        "afpfs",
        "9p",
        "ceph",
        "lustre",
        "fuse.sshfs",
        "fuse.glusterfs",
        "fuse.s3fs",
        "fuse.rclone"
      })
  void a_network_file_system_is_recognized_by_its_type(String type) {
    assertThat(NetworkFileSystem.is(type)).isTrue();
  }

  @Test
  void a_file_on_a_network_file_system_is_refused() throws Exception {
    SqliteFile file = SqliteFile.of("sqlite:" + directory.resolve("locks.db"));
    String type = Files.getFileStore(directory).type();

    assertThatCode(file::check).doesNotThrowAnyException();
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> file.check(type::equals))
        .withMessageStartingWith("Cannot use " + file.url() + ": it is on a network file system")
        .withMessageContaining("(" + type + ")");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ext4",
        "xfs",
        "btrfs",
        "zfs",
        "tmpfs",
        "overlay",
        "apfs",
        "hfs",
        "fuseblk",
        "fuse.fuse-overlayfs",
        "f2fs"
      })
  void a_local_file_system_is_not(String type) {
    assertThat(NetworkFileSystem.is(type)).isFalse();
  }
}
