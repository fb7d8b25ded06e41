@NullMarked
package dev.capsem.sandboxserver.protocol;

import org.jspecify.annotations.NullMarked;
