/// Attacks on the inspector, and honest questions.
@NullMarked
package dev.capsem.telemetry.inspect;

import org.jspecify.annotations.NullMarked;
