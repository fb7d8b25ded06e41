/// An HTTP/1.1 server that shows every byte it was sent and sends whatever it is told to, right or wrong. Entry
/// type: `HttpOrigin`.
@NullMarked
package dev.capsem.testkit.http;

import org.jspecify.annotations.NullMarked;
