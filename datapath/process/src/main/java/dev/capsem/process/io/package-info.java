/// The shell of capsem-process: sockets, accept loops and the doors' connections. Entry types: `GuestPorts`,
/// `InstanceServer`. No decision is made here.
@NullMarked
package dev.capsem.process.io;

import org.jspecify.annotations.NullMarked;
