/** As much of the servers' protocols as it takes to set them up, and to wait until they serve. */
@NullMarked
package dev.holdfast.servers.client;

import org.jspecify.annotations.NullMarked;
