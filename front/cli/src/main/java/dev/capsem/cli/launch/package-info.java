/// Starts sibling programs of `dist/bin`. The only place of this module that starts a process.
@NullMarked
package dev.capsem.cli.launch;

import org.jspecify.annotations.NullMarked;
