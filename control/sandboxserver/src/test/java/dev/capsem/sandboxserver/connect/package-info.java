@NullMarked
package dev.capsem.sandboxserver.connect;

import org.jspecify.annotations.NullMarked;
