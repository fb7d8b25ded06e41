package dev.capsem.network.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class NetworkMetricsTest {
    @Test
    void countsByLabelValues() {
        NetworkMetrics metrics = new NetworkMetrics();

        metrics.requestEnded("h1", "allowed", 1, 2);
        metrics.requestEnded("h1", "allowed", 1, 2);
        metrics.requestEnded("h2", "denied", 1, 2);
        metrics.decided("allow");
        metrics.connectionOpened("tls");

        assertThat(metrics.snapshot().counters())
                .containsEntry("mitm_requests_total{protocol=\"h1\",decision=\"allowed\"}", 2L)
                .containsEntry("mitm_requests_total{protocol=\"h2\",decision=\"denied\"}", 1L)
                .containsEntry("policy_decisions_total{decision=\"allow\"}", 1L)
                .containsEntry("mitm_connections_total{protocol=\"tls\"}", 1L);
    }
}
