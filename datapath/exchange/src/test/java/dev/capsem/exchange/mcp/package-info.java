/// MCP calls and notifications, played from transcripts.
@NullMarked
package dev.capsem.exchange.mcp;

import org.jspecify.annotations.NullMarked;
