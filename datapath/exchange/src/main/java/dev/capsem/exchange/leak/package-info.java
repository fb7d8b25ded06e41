/// Stand-ins of secrets where no grant covers them: [LeakGate] blocks them in questions to DNS and in MCP calls,
/// [PlaceholderLeak] is how a leak is refused and found, wherever it is. Sees `events` and `broker` only.
@NullMarked
package dev.capsem.exchange.leak;

import org.jspecify.annotations.NullMarked;
