package dev.holdfast.cli.config;

import dev.holdfast.Proof;
import dev.holdfast.ProofKey;
import dev.holdfast.cli.arguments.Arguments;
import dev.holdfast.cli.arguments.Syntax;
import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.ExitCodes;
import java.nio.file.Path;
import java.util.List;

/**
 * The keys that proofs are signed with: those in the file that {@code --key-file} names, else
 * {@code HOLDFAST_KEY_FILE}; none if there is no such file named.
 *
 * @param keys the first one signs
 */
public record ProofKeys(List<ProofKey> keys) {

  private static final String OPTION = "--key-file";

  /** Adds the option. */
  public static Syntax option(Syntax syntax) {
    return syntax.value(OPTION);
  }

  /**
   * Reads them.
   *
   * @throws CliException if there is a file, and it cannot be used
   */
  public static ProofKeys read(Arguments arguments, Console console) {
    String option = arguments.value(OPTION);
    String file = option != null ? option : console.env("HOLDFAST_KEY_FILE");
    if (file == null || file.isEmpty()) {
      return new ProofKeys(List.of());
    }
    try {
      return new ProofKeys(ProofKey.readFile(Path.of(file)));
    } catch (IllegalArgumentException e) {
      throw new CliException(ExitCodes.USAGE, String.valueOf(e.getMessage()), e);
    }
  }

  /** The proof as text, signed if there is a key. */
  public String text(Proof proof) {
    return (keys.isEmpty() ? proof : proof.sign(keys.get(0))).toString();
  }

  /** Returns whether the proof is signed, if it must be. */
  public boolean trusts(Proof proof) {
    return keys.isEmpty() || proof.isSignedBy(keys);
  }
}
