/// MCP's methods: names that lead to servers, versions, pages, and what each method needs. Pure. Entry
/// type: `Call`.
@NullMarked
package dev.capsem.mcp.method;

import org.jspecify.annotations.NullMarked;
