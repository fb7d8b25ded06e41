/// Registers capsem-mcp with MCP clients of this user by editing their configuration. Entry type: `McpInstallCommand`.
/// Changes one entry of one file, keeps a copy of the file before, and leaves alone what it cannot read.
@NullMarked
package dev.capsem.cli.install;

import org.jspecify.annotations.NullMarked;
