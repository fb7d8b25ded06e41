/// One guest's connection: frames in and out (`McpConnection`), the client behind it (`McpClientSession`), and what its
/// calls ask of the backend (`Dispatch`). Everything passes `exchange.mcp`.
@NullMarked
package dev.capsem.mcp.connection;

import org.jspecify.annotations.NullMarked;
