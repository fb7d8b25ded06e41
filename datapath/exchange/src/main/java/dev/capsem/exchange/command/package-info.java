/// A command of the host's that runs in a sandbox, from its request to its end. Entry type: [CommandRun]. Its shell is
/// `process.exec.CommandShell`. Sees `events` only.
@NullMarked
package dev.capsem.exchange.command;

import org.jspecify.annotations.NullMarked;
