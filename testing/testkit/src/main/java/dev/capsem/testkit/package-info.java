/// Placeholder until the module's first type arrives.
@NullMarked
package dev.capsem.testkit;

import org.jspecify.annotations.NullMarked;
