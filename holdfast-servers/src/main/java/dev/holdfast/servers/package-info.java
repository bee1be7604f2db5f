/**
 * The real servers that tests and benchmarks run on: found on the machine or unpacked from what
 * Maven carries, started on loopback, paused, killed and restarted at will, and gone with the JVM.
 */
@NullMarked
package dev.holdfast.servers;

import org.jspecify.annotations.NullMarked;
