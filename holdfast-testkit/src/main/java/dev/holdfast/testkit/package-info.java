/**
 * The published conformance kit. {@link dev.holdfast.testkit.LockStoreContract} is what a store
 * must pass, {@link dev.holdfast.testkit.EngineContract} what clients of it must; the rest are the
 * tools: a clock driven by hand, a store that fails on purpose, and a checker of histories.
 */
@NullMarked
package dev.holdfast.testkit;

import org.jspecify.annotations.NullMarked;
