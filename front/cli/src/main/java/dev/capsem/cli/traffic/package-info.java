/// Commands about what sandboxes say to the world: live, as a file, and what it cost. Read-only. Entry types:
/// the commands.
@NullMarked
package dev.capsem.cli.traffic;

import org.jspecify.annotations.NullMarked;
