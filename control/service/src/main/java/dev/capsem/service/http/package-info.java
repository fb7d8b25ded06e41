/// The HTTP side without IO: a request as a value, an answer as a value, and the table between them. Entry type:
/// [dev.capsem.service.http.RouteTable]. Knows nothing of sandboxes and nothing of Jetty.
@NullMarked
package dev.capsem.service.http;

import org.jspecify.annotations.NullMarked;
