@NullMarked
package dev.capsem.sandboxserver.tokens;

import org.jspecify.annotations.NullMarked;
