/// capsem-service: one per home. Serves both APIs on a Unix socket, keeps the registry of sandboxes, starts a
/// capsem-process for each and finds them again after a crash of its own. Entry type: [dev.capsem.daemon.ServiceMain],
/// which wires `service`, `api` and `sandboxserver`.
@NullMarked
package dev.capsem.daemon;

import org.jspecify.annotations.NullMarked;
