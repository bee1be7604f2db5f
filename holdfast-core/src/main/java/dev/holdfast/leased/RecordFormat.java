package dev.holdfast.leased;

import dev.holdfast.UnreadableRecordException;
import dev.holdfast.leased.ClaimRecord.StoredKey;
import dev.holdfast.spi.Claim;
import org.jspecify.annotations.Nullable;

/** How a store writes its claims. */
public interface RecordFormat {

  /**
   * @throws UnreadableRecordException if the format is unknown or the text is damaged
   */
  ClaimRecord parse(StoredKey stored);

  /** The text that {@link #parse} reads. */
  String text(ClaimRecord claim);

  /**
   * @return true if it can be read
   */
  default boolean isReadable(StoredKey stored) {
    try {
      parse(stored);
      return true;
    } catch (UnreadableRecordException e) {
      return false;
    }
  }

  /**
   * @return true if a renewal by this claim would change nothing
   */
  default boolean isUnchanged(ClaimRecord record, Claim claim) {
    return text(record.renewedBy(claim)).equals(text(record));
  }

  /** Claims as text: a line of fields, the first of which is the format, then the value if any. */
  abstract class Lines implements RecordFormat {

    private final String version;
    private final String before;
    private final int fields;

    /**
     * @param version what lines of this format start with
     * @param before the version before it, which is read as well
     * @param fields how many a line has; only the last may contain spaces
     */
    protected Lines(String version, String before, int fields) {
      this.version = version;
      this.before = before;
      this.fields = fields;
    }

    /**
     * @throws IllegalArgumentException if a field is damaged
     */
    protected abstract ClaimRecord parse(StoredKey stored, String[] fields, @Nullable String value);

    /** The line of this claim. */
    protected abstract String line(ClaimRecord claim);

    /** What messages show of a key. */
    protected String shown(String key) {
      return key.replace("\0", "\\0");
    }

    @Override
    public final ClaimRecord parse(StoredKey stored) {
      String[] lines = stored.text().split("\n", 2);
      String[] found = lines[0].split(" ", fields);
      boolean known = found[0].equals(version) || found[0].equals(before);
      if (!known || found.length != fields) {
        throw unreadable(stored, "it has another format than " + version);
      }
      try {
        return parse(stored, found, lines.length == 1 ? null : lines[1]);
      } catch (IllegalArgumentException e) {
        throw unreadable(stored, "a part of it is damaged");
      }
    }

    private UnreadableRecordException unreadable(StoredKey stored, String why) {
      return new UnreadableRecordException("", "key " + shown(stored.key()), why);
    }

    @Override
    public final String text(ClaimRecord claim) {
      String line = line(claim);
      return claim.value() == null ? line : line + "\n" + claim.value();
    }
  }
}
