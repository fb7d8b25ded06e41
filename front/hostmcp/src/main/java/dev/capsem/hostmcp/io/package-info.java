/// The way to capsem-service, and capsem-mcp's own log. Entry type: `ServiceHost`.
@NullMarked
package dev.capsem.hostmcp.io;

import org.jspecify.annotations.NullMarked;
