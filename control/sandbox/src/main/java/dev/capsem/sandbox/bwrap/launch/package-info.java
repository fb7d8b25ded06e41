/// The only place where the bwrap driver starts processes. Entry types: `Spawner` for sandboxes, `Tool` for
/// short commands.
@NullMarked
package dev.capsem.sandbox.bwrap.launch;

import org.jspecify.annotations.NullMarked;
