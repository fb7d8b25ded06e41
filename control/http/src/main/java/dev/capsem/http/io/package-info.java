/// Jetty in front of a route table, on a Unix socket or a port of loopback. Entry types:
/// [dev.capsem.http.io.HttpServer] and [dev.capsem.http.io.LoopbackServer].
@NullMarked
package dev.capsem.http.io;

import org.jspecify.annotations.NullMarked;
