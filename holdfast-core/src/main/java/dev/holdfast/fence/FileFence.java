package dev.holdfast.fence;

import dev.holdfast.Fence;
import dev.holdfast.FenceToken;
import dev.holdfast.Mode;
import dev.holdfast.Proof;
import dev.holdfast.StaleTokenException;
import dev.holdfast.StoreException;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A fence for data in a file: the tokens are kept beside it, and {@link #write} checks the token
 * and replaces the file in one step.
 *
 * <pre>{@code
 * FileFence fence = FileFence.beside(Path.of("/srv/app/prices.csv"));
 * fence.enter(lease.proof()); // before the first read
 * byte[] changed = change(Files.readAllBytes(prices));
 * fence.write(lease.proof(), changed);
 * }</pre>
 *
 * <p><b>Promises</b>, between threads, class loaders and processes of one host: once a later holder
 * has entered, nothing of an earlier one is written through the fence; a reader of the data finds
 * all of a write or nothing of it, also after a power cut. <b>Does not promise</b> anything for
 * writes that go around it, nor on a network file system, whose file locks may exclude nobody.
 *
 * <p>Beside {@code prices.csv} there are {@code prices.csv.fence} with the highest exclusive token
 * of each lock, {@code prices.csv.fence.lock}, which stays empty, and for a moment {@code …new}.
 * Keep the first as long as the data. A fence that is not as a fence writes it, a link or a pipe in
 * the place of one of the files, and anything longer than 16 MiB are refused with {@link
 * StoreException}; nobody passes until {@link #reset} has put it right.
 *
 * <p>Thread-safe. A step waits at most 10 s for one that is under way elsewhere; an interrupt ends
 * the wait with {@link StoreException}, and the interrupt status is kept.
 */
public final class FileFence implements Fence {

  private final Path data;
  private final Path tokens;
  private final FenceLock lock;

  private FileFence(Path data) {
    this.data = data;
    this.tokens = data.resolveSibling(data.getFileName() + ".fence");
    this.lock = new FenceLock(data.resolveSibling(data.getFileName() + ".fence.lock"));
  }

  /**
   * The fence of a file, which need not be there yet.
   *
   * @throws IllegalArgumentException if its folder is not there
   */
  public static FileFence beside(Path data) {
    Path absolute = data.toAbsolutePath();
    Path folder = absolute.getParent();
    Path name = absolute.getFileName();
    if (folder == null || name == null) {
      throw new IllegalArgumentException("'" + data + "' is not a file");
    }
    try { // By its real name: a link to the data must not lead to another fence.
      return new FileFence(
          Files.exists(absolute) ? absolute.toRealPath() : folder.toRealPath().resolve(name));
    } catch (IOException e) {
      throw new IllegalArgumentException(folder + " is not a folder", e);
    }
  }

  @Override
  public void enter(Proof proof) {
    long raised = FenceToken.raising(proof);
    exclusively(proof.lock(), () -> raise(proof, raised));
  }

  @Override
  public void check(Proof proof) {
    FenceToken.of(proof);
    FenceToken.refuseOlder(proof, current(proof.lock()));
  }

  @Override
  public long current(String lockName) {
    try { // Without the lock: the file is replaced as a whole.
      return FenceFile.read(tokens).token(lockName);
    } catch (IOException e) {
      throw failed(lockName, e);
    }
  }

  /**
   * As {@link Fence#reset}, where only this lock's line is damaged. A file that cannot be read at
   * all is left as it is: it may have kept the tokens of other locks, too.
   */
  @Override
  public void reset(String lockName, long token) {
    FenceToken.forReset(lockName, token);
    exclusively(lockName, () -> FenceFile.read(tokens).put(lockName, token));
  }

  /**
   * Replaces the data, if the token is not stale. Permissions stay as they were.
   *
   * @throws IllegalArgumentException if the proof is of a reader: readers hold the lock side by
   *     side, and their tokens do not tell whose write is the later
   * @throws StaleTokenException if a later holder has entered; nothing was written
   * @throws StoreException if it is not known whether the data were replaced
   */
  public void write(Proof proof, byte[] content) {
    if (proof.mode() == Mode.SHARED) {
      throw new IllegalArgumentException(
          "'%s' is held for reading only (token %d): acquire the write lock to replace %s"
              .formatted(proof.lock(), proof.token(), data.getFileName()));
    }
    long raised = FenceToken.raising(proof);
    exclusively(
        proof.lock(),
        () -> {
          raise(proof, raised);
          FenceFile.replace(data, content);
        });
  }

  private void raise(Proof proof, long raised) throws IOException {
    FenceFile file = FenceFile.read(tokens);
    long current = file.token(proof.lock());
    FenceToken.refuseOlder(proof, current);
    if (raised > current) {
      file.put(proof.lock(), raised);
    }
  }

  private void exclusively(String lockName, FenceLock.Step step) {
    try {
      lock.run(step);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreException(
          lockName,
          "Interrupted while waiting for " + named(lockName) + ": nothing was changed.",
          e);
    } catch (ClosedByInterruptException e) {
      throw new StoreException(
          lockName,
          "Interrupted while changing "
              + named(lockName)
              + ": it may or may not have taken effect.",
          e);
    } catch (IOException e) {
      throw failed(lockName, e);
    }
  }

  private StoreException failed(String lockName, IOException cause) {
    String message =
        cause instanceof FenceFile.Damaged
            ? named(lockName) + " cannot be used: " + cause.getMessage() + " --file " + data + "."
            : "No answer from " + named(lockName) + ": " + cause;
    return new StoreException(lockName, message, cause);
  }

  private String named(String lockName) {
    return "the fence of '" + lockName + "' beside " + data;
  }
}
