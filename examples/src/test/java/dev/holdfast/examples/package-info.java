/** Runs the samples of the documentation, and checks that the documentation shows them. */
@NullMarked
package dev.holdfast.examples;

import org.jspecify.annotations.NullMarked;
