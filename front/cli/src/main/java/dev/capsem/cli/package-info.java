/// `capsem`, the command line. Entry type: `CapsemMain`, which wires; then `Capsem`, which finds the command in
/// `CommandTable` and runs it. `command` holds what all commands share. Commands live by topic in `sandboxes`,
/// `project`,
/// `rules`, `profile`, `approvals`, `mcp`, `record`, `host` and others; `screen` prints, `client` reaches the service.
/// Arrows: this package → topics → `command` → `screen`, `client`. Sees `wire`, and of `profiles` what signing needs.
@NullMarked
package dev.capsem.cli;

import org.jspecify.annotations.NullMarked;
