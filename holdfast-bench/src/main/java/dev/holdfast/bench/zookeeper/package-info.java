/** ZooKeeper: the floor, and those who keep locks there. */
@NullMarked
package dev.holdfast.bench.zookeeper;

import org.jspecify.annotations.NullMarked;
