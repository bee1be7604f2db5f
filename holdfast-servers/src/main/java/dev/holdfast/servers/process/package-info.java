/** One running server: its process, its folder, its port, its clock. */
@NullMarked
package dev.holdfast.servers.process;

import org.jspecify.annotations.NullMarked;
