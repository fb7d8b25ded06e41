/// Starts capsem-service when a client finds nobody at its socket. Entry type:
/// [dev.capsem.client.launch.ServiceLauncher]. The only package here that starts a process.
@NullMarked
package dev.capsem.client.launch;

import org.jspecify.annotations.NullMarked;
