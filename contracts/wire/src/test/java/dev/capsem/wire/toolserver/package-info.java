@NullMarked
package dev.capsem.wire.toolserver;

import org.jspecify.annotations.NullMarked;
