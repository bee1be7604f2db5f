/** Consul: Holdfast alone; no other library for Java keeps locks there. */
@NullMarked
package dev.holdfast.bench.consul;

import org.jspecify.annotations.NullMarked;
