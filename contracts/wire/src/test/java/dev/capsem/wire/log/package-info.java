/// Log lines and panics, as values.
@NullMarked
package dev.capsem.wire.log;

import org.jspecify.annotations.NullMarked;
