/// Placeholder until the module's first type arrives.
@NullMarked
package dev.capsem.cli;

import org.jspecify.annotations.NullMarked;
