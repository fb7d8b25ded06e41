@NullMarked
package dev.capsem.network.start;

import org.jspecify.annotations.NullMarked;
