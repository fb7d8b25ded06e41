/// An MCP server of tools, resources and prompts for one client: negotiates, checks arguments, runs calls side by side,
/// reports progress, cancels. Entry types: `ToolServer` says what is offered, `ServerSession` answers requests wherever
/// they come from, `StdioShell` carries lines. Knows no tool, opens no socket.
@NullMarked
package dev.capsem.toolserver;

import org.jspecify.annotations.NullMarked;
