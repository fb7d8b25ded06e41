/// Sandboxes by bubblewrap: `capsem-launch` builds the root and becomes bwrap, bwrap becomes the agent. Entry
/// type: `BwrapDriver`. Commands are computed here as data; `io` reads /proc, plans and writes
/// cgroups, `launch` starts processes. Must not know the guest protocol.
@NullMarked
package dev.capsem.sandbox.bwrap;

import org.jspecify.annotations.NullMarked;
