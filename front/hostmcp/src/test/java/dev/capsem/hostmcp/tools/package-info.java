@NullMarked
package dev.capsem.hostmcp.tools;

import org.jspecify.annotations.NullMarked;
