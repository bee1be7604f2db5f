/** What a command acquires, and what it then holds. */
@NullMarked
package dev.holdfast.cli.lock;

import org.jspecify.annotations.NullMarked;
