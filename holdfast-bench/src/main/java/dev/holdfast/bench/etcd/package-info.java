/** etcd: the floor, and the libraries that keep locks there. */
@NullMarked
package dev.holdfast.bench.etcd;

import org.jspecify.annotations.NullMarked;
