/**
 * What clients of a lock observe, and the promises that it is compared with. A simulation and a
 * test with real servers write the same {@link dev.holdfast.testkit.promise.History}, and {@link
 * dev.holdfast.testkit.promise.PromiseChecker} names what was broken.
 */
@NullMarked
package dev.holdfast.testkit.promise;

import org.jspecify.annotations.NullMarked;
