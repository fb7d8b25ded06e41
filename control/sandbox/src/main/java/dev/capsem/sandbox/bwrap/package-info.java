/// Sandboxes by bubblewrap: `capsem-launch` builds the root and becomes bwrap, bwrap becomes the agent. Entry
/// type: `BwrapDriver`. Commands and cgroup plans are computed here as data; `io` touches /proc and
/// /sys/fs/cgroup, `launch` starts processes. Must not know the guest protocol.
@NullMarked
package dev.capsem.sandbox.bwrap;

import org.jspecify.annotations.NullMarked;
