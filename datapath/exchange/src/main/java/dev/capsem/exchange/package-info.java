/// The exchanges of a sandbox as pure state machines: facts come in, actions go out. [Judge] is the one security rule
/// that all of them follow: evaluate, ask a person where a rule says so, go on only when that is settled.
///
/// Sees `events` only. It opens no socket, starts no thread, reads no clock and knows no Netty; ArchitectureTest checks
/// that. The shells in `network`, `mcp` and `process` translate between it and the world.
@NullMarked
package dev.capsem.exchange;

import org.jspecify.annotations.NullMarked;
