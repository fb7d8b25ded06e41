/// The product as its users meet it: real programs, real bubblewrap, real clients. Entry type: `Installation` (a
/// service of its own, as root or as an ordinary user).
@NullMarked
package dev.capsem.e2e;

import org.jspecify.annotations.NullMarked;
