/// One external MCP server each: its transport (Streamable HTTP, the older HTTP with events, or lines over a
/// socket), the session on it, its catalog, and staying connected. Entry type: `McpUpstream`. Trusts nothing a
/// server sends.
@NullMarked
package dev.capsem.backends.upstream;

import org.jspecify.annotations.NullMarked;
