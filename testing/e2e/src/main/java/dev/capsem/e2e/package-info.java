/// Placeholder until the module's first type arrives.
@NullMarked
package dev.capsem.e2e;

import org.jspecify.annotations.NullMarked;
