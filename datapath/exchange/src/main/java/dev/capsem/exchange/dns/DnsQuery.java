package dev.capsem.exchange.dns;

import dev.capsem.events.row.Finding;
import dev.capsem.events.security.SecurityEvent.DnsRequest;
import java.util.List;

/// A guest's question in one packet.
///
/// @param operation 0 for a query
/// @param ednsVersion 0 if the packet has none
public record DnsQuery(int operation, int ednsVersion, List<Question> questions) {
    /// @param name as it was asked for
    /// @param signs that the name carries data
    public record Question(DnsRequest event, String name, int type, int queryClass, List<Finding> signs) {
        public Question {
            signs = List.copyOf(signs);
        }
    }

    /// Requires: there is a question.
    public DnsQuery {
        questions = List.copyOf(questions);
        if (questions.isEmpty()) {
            throw new IllegalArgumentException("a query asks something");
        }
    }
}
