/// A connection that a program behind MCP asks for. Entry type: [EgressConnection]; its shell is
/// `process.mcp.EgressShell`. Sees `events` only.
@NullMarked
package dev.capsem.exchange.egress;

import org.jspecify.annotations.NullMarked;
