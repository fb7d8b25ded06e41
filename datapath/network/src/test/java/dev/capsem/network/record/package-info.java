@NullMarked
package dev.capsem.network.record;

import org.jspecify.annotations.NullMarked;
