@NullMarked
package dev.capsem.sandboxserver.repeat;

import org.jspecify.annotations.NullMarked;
