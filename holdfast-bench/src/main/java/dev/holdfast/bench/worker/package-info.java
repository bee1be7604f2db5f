/** What clients do while they are measured, in this process and in others. */
@NullMarked
package dev.holdfast.bench.worker;

import org.jspecify.annotations.NullMarked;
