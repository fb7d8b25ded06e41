/// Placeholder until the module's first type arrives.
@NullMarked
package dev.capsem.process;

import org.jspecify.annotations.NullMarked;
