/// Commands that make, use and end sandboxes: run, create, exec, shell, list, info, stop, suspend, resume, persist,
/// fork, delete, purge, cp. Entry type: none; each command stands alone and shares `TerminalSession` for running one.
@NullMarked
package dev.capsem.cli.sandboxes;

import org.jspecify.annotations.NullMarked;
