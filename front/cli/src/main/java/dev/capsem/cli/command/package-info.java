/// The common parts of all commands: the context, the options all of them have, exit codes, problems, and what commands
/// that list or remove things share. Entry type: `CapsemCommand`. Knows no single command: the families see this
/// package, and only the table beside `CapsemMain` sees the families.
@NullMarked
package dev.capsem.cli.command;

import org.jspecify.annotations.NullMarked;
