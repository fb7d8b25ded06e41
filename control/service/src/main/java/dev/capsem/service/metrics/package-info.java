/// Counters, gauges and histograms of the service and of all its sandboxes, in the text format of Prometheus. Entry
/// type: [dev.capsem.service.metrics.Metrics]. Adds nothing up: each series of a sandbox carries its name.
@NullMarked
package dev.capsem.service.metrics;

import org.jspecify.annotations.NullMarked;
