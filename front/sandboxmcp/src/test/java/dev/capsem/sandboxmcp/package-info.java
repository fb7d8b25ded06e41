@NullMarked
package dev.capsem.sandboxmcp;

import org.jspecify.annotations.NullMarked;
