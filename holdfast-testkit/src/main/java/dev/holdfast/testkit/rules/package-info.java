/** The groups of tests that the contracts are made of; not exported. */
@NullMarked
package dev.holdfast.testkit.rules;

import org.jspecify.annotations.NullMarked;
