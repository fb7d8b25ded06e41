package dev.capsem.api.metrics;

import java.util.Map;
import java.util.Optional;

/// The meaning of each metric, one line each.
final class Descriptions {
    private static final Map<String, String> BY_NAME = Map.ofEntries(
            Map.entry("active_connections", "Connections of the guest that are open now."),
            Map.entry("approvals_pending", "Questions that wait for a person."),
            Map.entry("dns_cache_evictions_total", "DNS answers forgotten for want of room."),
            Map.entry("dns_cache_hits_total", "DNS questions answered from memory."),
            Map.entry("dns_cache_misses_total", "DNS questions that went to a resolver."),
            Map.entry("dns_handle_duration_ms", "From a DNS question to its answer."),
            Map.entry("dns_queries_total", "DNS questions by what became of them."),
            Map.entry("dns_upstream_duration_ms", "How long resolvers took."),
            Map.entry("dns_upstream_failures_total", "DNS questions that no resolver answered."),
            Map.entry("hook_duration_ms", "Looking at one chunk of a body that passes."),
            Map.entry("hook_invocations_total", "Chunks of bodies that were inspected, by inspector."),
            Map.entry("ipc_drops_total", "Messages lost between the service and its processes."),
            Map.entry("mcp_aggregator_restarts_total", "How often the program behind MCP was started again."),
            Map.entry("mcp_call_duration_ms", "MCP requests from end to end."),
            Map.entry("mcp_calls_total", "MCP requests by server and what became of them."),
            Map.entry("mcp_requests_in_flight", "MCP requests under way now."),
            Map.entry("mitm_connections_total", "Connections of the guest by what they began with."),
            Map.entry("mitm_requests_total", "HTTP requests by protocol and what became of them."),
            Map.entry("parser_events_total", "Events that model answers were understood as."),
            Map.entry("policy_decisions_total", "Decisions on HTTP and model traffic."),
            Map.entry("request_body_bytes", "Sizes of request bodies."),
            Map.entry("response_body_bytes", "Sizes of response bodies."),
            Map.entry("runtime_busy_ratio", "CPU time of the sandbox's process per second of its life."),
            Map.entry("sandboxes", "Sandboxes by state."),
            Map.entry("sandboxes_max", "How many may run at the same time."),
            Map.entry("sandboxes_silent", "Running sandboxes whose process did not answer in time."),
            Map.entry("server_errors_total", "Requests that the service answered with a status of 500 or more."),
            Map.entry("service_uptime_seconds", "How long the service runs."),
            Map.entry("slow_operations_total", "Requests that took half a second or more, commands apart."),
            Map.entry("spare_processes_ready", "Processes that wait for a sandbox."),
            Map.entry("telemetry_dropped_total", "Events that could not be recorded."),
            Map.entry("tls_handshake_ms", "TLS handshakes with the guest."),
            Map.entry("upstream_dial_ms", "Connecting to upstreams, TLS included."),
            Map.entry("upstream_pool_size", "Connections to upstreams that are open now."));

    private Descriptions() {}

    static Optional<String> of(String name) {
        return Optional.ofNullable(BY_NAME.get(name));
    }
}
