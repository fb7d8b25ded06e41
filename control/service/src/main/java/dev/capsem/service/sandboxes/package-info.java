/// The sandboxes of this home: names, limits, lifecycle, their processes and the spare one. Entry type:
/// [dev.capsem.service.sandboxes.Sandboxes]. Reaches processes only through the ports
/// [dev.capsem.service.sandboxes.ProcessDoor] and [dev.capsem.service.sandboxes.ProcessStarter], so that all of it
/// runs in tests without a socket or a child.
@NullMarked
package dev.capsem.service.sandboxes;

import org.jspecify.annotations.NullMarked;
