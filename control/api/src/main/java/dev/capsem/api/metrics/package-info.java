/// Counters, gauges and histograms of the service and of all its sandboxes, in the text format of Prometheus. Entry
/// type: [dev.capsem.api.metrics.Metrics]. Adds nothing up: each series of a sandbox carries its name.
@NullMarked
package dev.capsem.api.metrics;

import org.jspecify.annotations.NullMarked;
