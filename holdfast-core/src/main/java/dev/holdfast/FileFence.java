package dev.holdfast;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

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
 * Keep the first as long as the data.
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
      throw new IllegalArgumentException("there is no folder " + folder, e);
    }
  }

  @Override
  public void enter(Proof proof) {
    exclusively(proof, () -> raise(proof));
  }

  @Override
  public void check(Proof proof) {
    try { // Without the lock: the file is replaced as a whole.
      new InMemoryFence(FenceFile.read(tokens)).check(proof);
    } catch (IOException e) {
      throw failed(proof, e);
    }
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
    exclusively(
        proof,
        () -> {
          raise(proof);
          FenceFile.replace(data, content);
        });
  }

  private void raise(Proof proof) throws IOException {
    Map<String, Long> before = FenceFile.read(tokens);
    InMemoryFence fence = new InMemoryFence(before);
    fence.enter(proof);
    Map<String, Long> after = fence.tokens();
    if (!after.equals(before)) {
      FenceFile.write(tokens, after);
    }
  }

  private void exclusively(Proof proof, FenceLock.Step step) {
    try {
      lock.run(step);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreException(
          proof.lock(),
          "Interrupted while waiting for " + named(proof) + ": nothing was changed.",
          e);
    } catch (ClosedByInterruptException e) {
      throw new StoreException(
          proof.lock(),
          "Interrupted while changing " + named(proof) + ": it may or may not have taken effect.",
          e);
    } catch (IOException e) {
      throw failed(proof, e);
    }
  }

  private StoreException failed(Proof proof, IOException cause) {
    return new StoreException(proof.lock(), "No answer from " + named(proof) + ": " + cause, cause);
  }

  private String named(Proof proof) {
    return "the fence of '" + proof.lock() + "' beside " + data;
  }
}
