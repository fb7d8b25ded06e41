/// Upstreams for tests, real ones on loopback: TLS, HTTP/1.1, HTTP/2, WebSocket, DNS, model APIs, git and package
/// registries, and servers that are slow, lie or die. Each keeps its own log of what reached it, which is what shows
/// that a block let nothing out. Entry type: `upstreams.Upstreams`. Never part of a program.
@NullMarked
package dev.capsem.testkit;

import org.jspecify.annotations.NullMarked;
