/// Placeholder until the module's first type arrives.
@NullMarked
package dev.capsem.bench;

import org.jspecify.annotations.NullMarked;
