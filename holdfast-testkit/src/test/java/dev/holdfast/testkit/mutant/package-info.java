/** Faults that are put into the engine on purpose, for tests that have to find them. */
package dev.holdfast.testkit.mutant;
