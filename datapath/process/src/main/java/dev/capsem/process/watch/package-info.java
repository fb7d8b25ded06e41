/// Files of the workspace as the guest changes them, seen from the host. Entry type: `WorkspaceWatch`. The tree is the
/// guest's: directories come and go, turn into links, cannot be read; nothing found there may stop the watch, and what
/// it misses it counts.
@NullMarked
package dev.capsem.process.watch;

import org.jspecify.annotations.NullMarked;
