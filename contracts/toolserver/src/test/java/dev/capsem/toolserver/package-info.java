@NullMarked
package dev.capsem.toolserver;

import org.jspecify.annotations.NullMarked;
