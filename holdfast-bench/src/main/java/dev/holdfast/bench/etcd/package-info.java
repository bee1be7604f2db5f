/** etcd: the floor, and those who keep locks there. */
@NullMarked
package dev.holdfast.bench.etcd;

import org.jspecify.annotations.NullMarked;
