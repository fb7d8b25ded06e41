/// Secrets that never enter a sandbox: which grant covers a request, where its value is written, where a placeholder
/// must not stand, and how values are taken out of answers. [Grants] is one revision of all of it.
///
/// Sees `events` only. It opens no socket or file, starts no thread, reads no clock and knows no Netty;
/// ArchitectureTest
/// checks that.
@NullMarked
package dev.capsem.broker;

import org.jspecify.annotations.NullMarked;
