/** Runs the model checker on the specification and on its mutants. */
@NullMarked
package dev.holdfast.spec;

import org.jspecify.annotations.NullMarked;
