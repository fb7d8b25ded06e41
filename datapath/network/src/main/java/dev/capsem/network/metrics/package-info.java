/// The network engine's metrics, for an exporter. Entry type: `NetworkMetrics`.
@NullMarked
package dev.capsem.network.metrics;

import org.jspecify.annotations.NullMarked;
