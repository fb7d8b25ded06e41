@NullMarked
package dev.capsem.network.metrics;

import org.jspecify.annotations.NullMarked;
