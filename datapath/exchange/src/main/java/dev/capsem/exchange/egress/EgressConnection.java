package dev.capsem.exchange.egress;

import dev.capsem.events.address.AddressClass;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent.HttpRequest;
import dev.capsem.exchange.Awaited;
import dev.capsem.exchange.Judge;
import dev.capsem.exchange.Judge.Ruling;
import java.net.InetAddress;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// One connection of a program behind MCP. It must be granted, lead somewhere, be allowed by the rules of the sandbox,
/// and be on record.
///
/// Not safe for several threads: the shell feeds one input at a time.
public final class EgressConnection {
    /// The asking program.
    public enum Asker {
        /// A server that is a program: the rules judge each of its connections.
        PROGRAM,
        /// The aggregator, on the way to a server that the profile names. The rules are asked only when the name leads
        /// inside this host or its networks: whoever answers for that name may not be who wrote the profile.
        AGGREGATOR,
        /// The aggregator, and the profile itself says where the server is: an address, or this host.
        AGGREGATOR_BY_ADDRESS
    }

    private final Judge judge;
    private final Asker asker;

    private @Nullable HttpRequest event;

    /// The decision, while it is put on record.
    private @Nullable Evaluation settled;

    /// @param judge has no open question
    public EgressConnection(Judge judge, Asker asker) {
        this.judge = judge;
        this.asker = asker;
    }

    /// The next actions.
    public EgressAction on(EgressInput input) {
        return switch (input) {
            case EgressInput.Requested(boolean isGranted) ->
                isGranted ? new EgressAction.Locate() : new EgressAction.RejectAndNote();
            case EgressInput.NotFound _, EgressInput.Unnamable _ -> new EgressAction.RejectAndNote();
            case EgressInput.Located(Optional<InetAddress> address) ->
                mustBeJudged(address) ? new EgressAction.Admit() : new EgressAction.Connect();
            case EgressInput.NotAdmitted _ -> new EgressAction.Reject();
            case EgressInput.Admitted(HttpRequest wanted) -> judged(wanted);
            case EgressInput.Waited(Awaited awaited) -> record(judge.settled(awaited));
            case EgressInput.Recorded _ ->
                settled != null && settled.outcome() instanceof Evaluation.Allowed
                        ? new EgressAction.Connect()
                        : new EgressAction.Reject();
            case EgressInput.NotRecorded _ -> new EgressAction.Reject();
        };
    }

    private boolean mustBeJudged(Optional<InetAddress> address) {
        return switch (asker) {
            case PROGRAM -> true;
            case AGGREGATOR ->
                address.filter(found -> AddressClass.of(found) != AddressClass.PUBLIC)
                        .isPresent();
            case AGGREGATOR_BY_ADDRESS -> false;
        };
    }

    private EgressAction judged(HttpRequest wanted) {
        event = wanted;
        return switch (judge.judge(wanted)) {
            case Ruling.Asks(var shown, Evaluation question) -> new EgressAction.AskPerson(shown, question);
            case Ruling.Settled(Evaluation evaluation) -> record(evaluation);
        };
    }

    private EgressAction record(Evaluation evaluation) {
        if (event == null) {
            throw new IllegalStateException("it was not admitted");
        }
        settled = carried(evaluation);
        return new EgressAction.PutOnRecord(event, settled);
    }

    /// What a rule would change is inside a tunnel that nobody here can open: then nothing goes.
    private static Evaluation carried(Evaluation evaluation) {
        return evaluation.outcome() instanceof Evaluation.Rewritten
                ? evaluation.with(
                        new Evaluation.Blocked(BlockCause.REWRITE_FAILED),
                        evaluation.rule(),
                        Optional.of(
                                "the rule rewrites what a program of an MCP server sends, which cannot be read here"),
                        evaluation.steps())
                : evaluation;
    }
}
