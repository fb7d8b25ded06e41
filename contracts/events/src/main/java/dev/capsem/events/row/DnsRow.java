package dev.capsem.events.row;

import dev.capsem.events.vocabulary.TraceId;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// One DNS question, answered or not.
///
/// @param type the number on the wire, as are `queryClass` and `responseCode`
/// @param sourceProtocol `udp` or `tcp`
/// @param upstream how long the host's resolver took; zero when it was not asked
public record DnsRow(
        Instant at,
        String name,
        int type,
        int queryClass,
        int responseCode,
        Outcome decision,
        Optional<String> matchedRule,
        Optional<String> sourceProtocol,
        Optional<String> processName,
        Duration upstream,
        Optional<TraceId> traceId,
        PolicyOutcome policy)
        implements Projection {
    public static final RowShape SHAPE = RowShape.of(
                    "dns_events",
                    "timestamp",
                    "qname",
                    "qtype",
                    "qclass",
                    "rcode",
                    "decision",
                    "matched_rule",
                    "source_proto",
                    "process_name",
                    "upstream_resolver_ms",
                    "trace_id",
                    "policy_mode",
                    "policy_action",
                    "policy_rule",
                    "policy_reason",
                    PolicyOutcome.OUTCOME_COLUMN)
            .adding(PolicyOutcome.OUTCOME_COLUMN);

    @Override
    public RowShape shape() {
        return SHAPE;
    }

    @Override
    public void values(RowValues out) {
        out.at(at);
        out.text(name);
        out.integer(type);
        out.integer(queryClass);
        out.integer(responseCode);
        out.name(decision);
        out.text(matchedRule);
        out.text(sourceProtocol);
        out.text(processName);
        out.millis(upstream);
        out.id(traceId);
        policy.values(out);
    }
}
