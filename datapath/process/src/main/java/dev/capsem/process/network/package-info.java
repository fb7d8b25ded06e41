/// Puts the Network Engine, the DNS engine and the model tap behind ports 5002 and 5007 of one sandbox. They are set up
/// while the sandbox already takes commands: guest traffic waits for them, and is refused and recorded if they cannot
/// be had. Entry type: `NetworkStage`.
@NullMarked
package dev.capsem.process.network;

import org.jspecify.annotations.NullMarked;
