/// Starts capsem-service when a client finds nobody at its socket. Entry type:
/// [dev.capsem.wire.io.launch.ServiceLauncher]. The only place of this module that starts a process.
@NullMarked
package dev.capsem.wire.io.launch;

import org.jspecify.annotations.NullMarked;
