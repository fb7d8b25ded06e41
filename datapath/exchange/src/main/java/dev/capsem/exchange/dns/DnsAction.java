package dev.capsem.exchange.dns;

import dev.capsem.events.row.Outcome;
import dev.capsem.events.security.Evaluation;
import java.time.Duration;

/// A thing that the shell of a [DnsExchange] must do.
public sealed interface DnsAction {
    /// Ask the host's resolvers about the one question's name. The next input is [DnsInput.LookedUp].
    record LookUp(int type) implements DnsAction {}

    /// @param evaluation the rules', or ours where the question is refused whatever the rules say
    record PutOnRecord(
            DnsQuery.Question question, DnsReply reply, Outcome outcome, Evaluation evaluation, Duration upstream)
            implements DnsAction {}

    /// The last action.
    record Answer(DnsReply reply) implements DnsAction {}
}
