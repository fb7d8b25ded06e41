/// What the network engine counts and measures, for whoever exports it. Entry type: `NetworkMetrics`.
@NullMarked
package dev.capsem.network.metrics;

import org.jspecify.annotations.NullMarked;
