@NullMarked
package dev.capsem.sandboxserver;

import org.jspecify.annotations.NullMarked;
