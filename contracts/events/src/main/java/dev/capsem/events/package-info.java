/// Placeholder until the module's first type arrives.
@NullMarked
package dev.capsem.events;

import org.jspecify.annotations.NullMarked;
