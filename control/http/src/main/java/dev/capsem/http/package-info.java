/// An HTTP API without IO: a request as a value, an answer as a value, and the table between them. Entry type:
/// [dev.capsem.http.RouteTable]. Knows nothing of sandboxes and nothing of Jetty.
@NullMarked
package dev.capsem.http;

import org.jspecify.annotations.NullMarked;
