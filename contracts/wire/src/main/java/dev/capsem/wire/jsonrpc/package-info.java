/// JSON-RPC 2.0 as MCP speaks it: one message at a time, no batches, ids handed back exactly as they came. Entry type:
/// `JsonRpc`. Knows no method.
@NullMarked
package dev.capsem.wire.jsonrpc;

import org.jspecify.annotations.NullMarked;
