@NullMarked
package dev.capsem.daemon;

import org.jspecify.annotations.NullMarked;
