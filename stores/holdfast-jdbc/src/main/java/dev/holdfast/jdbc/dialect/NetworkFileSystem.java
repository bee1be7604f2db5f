package dev.holdfast.jdbc.dialect;

import java.util.Locale;
import java.util.Set;

/**
 * The file systems on which SQLite's locks do not reach the other hosts, as {@link
 * java.nio.file.FileStore#type} calls them on Linux and macOS.
 */
public final class NetworkFileSystem {

  private static final Set<String> TYPES =
      words(
          """
          9p afpfs afs beegfs ceph cifs coda davfs gfs2 glusterfs gpfs lustre ncpfs nfs
          nfs3 nfs4 ocfs2 orangefs pvfs2 smb smb2 smb3 smbfs webdav
          """);

  private static final Set<String> FUSE =
      words(
          """
          ceph cephfs curlftpfs davfs davfs2 gcsfuse glusterfs goofys gvfsd-fuse juicefs
          mount-s3 moosefs mfs rclone s3fs seaweedfs smbnetfs sshfs
          """);

  private NetworkFileSystem() {}

  public static boolean is(String type) {
    String name = type.toLowerCase(Locale.ROOT);
    return TYPES.contains(name)
        || (name.startsWith("fuse.") && FUSE.contains(name.substring("fuse.".length())));
  }

  private static Set<String> words(String text) {
    return Set.of(text.strip().split("\\s+"));
  }
}
