@NullMarked
package dev.capsem.sandboxmcp.io;

import org.jspecify.annotations.NullMarked;
