/// Output for people: streams, colours, tables, progress, and text of a guest made harmless. Entry type: `Screen`.
/// Knows nothing of commands or the service. JLine is named only in `RawTerminal`, which only a terminal needs.
@NullMarked
package dev.capsem.cli.screen;

import org.jspecify.annotations.NullMarked;
