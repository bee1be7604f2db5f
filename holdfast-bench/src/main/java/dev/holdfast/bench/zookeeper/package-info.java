/** ZooKeeper: the floor, and the libraries that keep locks there. */
@NullMarked
package dev.holdfast.bench.zookeeper;

import org.jspecify.annotations.NullMarked;
