/// HTTP on both sides: the client of the sandbox server and the Streamable HTTP transport. Entry types:
/// `HttpSandboxServerClient` and `HttpTransport`.
@NullMarked
package dev.capsem.sandboxmcp.io;

import org.jspecify.annotations.NullMarked;
