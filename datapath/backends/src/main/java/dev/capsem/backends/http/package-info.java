/// A small HTTP/1.1 client for servers that may lie: every length is bounded, every wait ends when its exchange is
/// closed, and connections go through a `Connector`, which an isolated program needs. Entry type: `HttpClient`.
@NullMarked
package dev.capsem.backends.http;

import org.jspecify.annotations.NullMarked;
