/** Runs the user's command under a lock, and stops it when the lock is lost. */
@NullMarked
package dev.holdfast.cli.run;

import org.jspecify.annotations.NullMarked;
