/** The servers' programs: where they are found, and how they are unpacked and run. */
@NullMarked
package dev.holdfast.servers.program;

import org.jspecify.annotations.NullMarked;
