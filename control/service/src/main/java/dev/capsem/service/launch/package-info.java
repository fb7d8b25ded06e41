/// Starts capsem-processes, the only children of this program. Entry type:
/// [dev.capsem.service.launch.ProcessLauncher].
@NullMarked
package dev.capsem.service.launch;

import org.jspecify.annotations.NullMarked;
