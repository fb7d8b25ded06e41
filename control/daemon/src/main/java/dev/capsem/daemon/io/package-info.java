/// The directories of a home, and the lock that keeps a second service away. Entry type:
/// [dev.capsem.daemon.io.SingleInstance].
@NullMarked
package dev.capsem.daemon.io;

import org.jspecify.annotations.NullMarked;
