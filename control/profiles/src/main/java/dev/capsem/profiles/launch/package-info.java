/// Starts the host's package managers to ask them for their registries. Entry type: `ClientCommands`. The only
/// package of this module that starts processes.
@NullMarked
package dev.capsem.profiles.launch;

import org.jspecify.annotations.NullMarked;
