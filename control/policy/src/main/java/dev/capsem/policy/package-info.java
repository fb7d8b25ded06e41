/// Placeholder until the module's first type arrives.
@NullMarked
package dev.capsem.policy;

import org.jspecify.annotations.NullMarked;
