/// The product as its users meet it: real programs, real bubblewrap, real clients; and the walls
/// between our modules. Entry types: `Installation` (a service of its own, as root or as an ordinary
/// user) and `ArchitectureTest`.
@NullMarked
package dev.capsem.e2e;

import org.jspecify.annotations.NullMarked;
