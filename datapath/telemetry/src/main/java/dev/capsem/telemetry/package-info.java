/// Placeholder until the module's first type arrives.
@NullMarked
package dev.capsem.telemetry;

import org.jspecify.annotations.NullMarked;
