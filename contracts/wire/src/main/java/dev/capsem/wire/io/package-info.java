/// The shell: sockets, threads and streams around the codecs of this module.
@NullMarked
package dev.capsem.wire.io;

import org.jspecify.annotations.NullMarked;
