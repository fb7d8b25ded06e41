/// Opens the sockets. Entry type: `UpstreamDialer`.
@NullMarked
package dev.capsem.network.http.upstream.io;

import org.jspecify.annotations.NullMarked;
