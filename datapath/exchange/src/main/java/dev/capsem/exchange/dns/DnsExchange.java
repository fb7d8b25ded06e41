package dev.capsem.exchange.dns;

import dev.capsem.events.Admission;
import dev.capsem.events.address.AddressClass;
import dev.capsem.events.row.Finding;
import dev.capsem.events.row.Outcome;
import dev.capsem.events.row.Step;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.Evaluation.Blocked;
import dev.capsem.events.security.RuleId;
import dev.capsem.events.vocabulary.StepKind;
import dev.capsem.events.vocabulary.StepStatus;
import dev.capsem.exchange.Judge;
import dev.capsem.exchange.dns.DnsReply.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// One packet of questions. Each is judged before anything leaves; a blocked name does not exist, an asked one gets an
/// address that stands for it, so that a person is asked when a request follows. IPv6 addresses and service bindings
/// are never given: sandboxes speak IPv4 to their own agent only, and an encrypted client hello would hide the name.
///
/// Not safe for several threads: the shell feeds one input at a time.
public final class DnsExchange {
    /// Browsers ask for it to learn whether they may take their questions past us, to a resolver of their own.
    private static final String ENCRYPTED_DNS_CANARY = "use-application-dns.net";

    private final Judge judge;

    /// The question that is looked up, if any.
    private @Nullable Judged open;

    /// What the lookup of an IPv4 address said, while the IPv6 address is looked up.
    private DnsInput.@Nullable LookedUp first;

    private record Judged(DnsQuery.Question question, Evaluation evaluation) {
        boolean isBlocked() {
            return evaluation.outcome() instanceof Blocked;
        }
    }

    /// The outcome of a question.
    private record Answered(DnsReply reply, Outcome outcome, Evaluation evaluation, Duration upstream) {
        static Answered of(DnsReply reply, Outcome outcome, Evaluation evaluation) {
            return new Answered(reply, outcome, evaluation, Duration.ZERO);
        }

        DnsAction.PutOnRecord record(DnsQuery.Question question) {
            return new DnsAction.PutOnRecord(question, reply, outcome, evaluation, upstream);
        }
    }

    public DnsExchange(Judge judge) {
        this.judge = judge;
    }

    /// The actions to perform now, in order.
    public List<DnsAction> on(DnsInput input) {
        return switch (input) {
            case DnsInput.NotAdmitted(Admission.Refused refused) ->
                List.of(new DnsAction.Answer(new DnsReply.Refusal(
                        ResponseCode.SERVER_FAILURE,
                        Reason.OTHER,
                        "capsem: " + Admission.CODE + ": " + refused.reason())));
            case DnsInput.Admitted(DnsQuery query) -> asked(query);
            case DnsInput.LookedUp found -> open == null ? List.of() : lookedUp(open, found);
        };
    }

    private List<DnsAction> asked(DnsQuery query) {
        List<Judged> judged = query.questions().stream().map(this::judged).toList();
        if (judged.size() > 1) {
            return refuseAll(judged);
        }
        Judged only = judged.getFirst();
        if (only.evaluation().outcome() instanceof Blocked(BlockCause cause)) {
            return answer(only, blocked(only.evaluation(), cause));
        }
        Optional<Answered> refusal = unsupported(query, only);
        if (refusal.isPresent()) {
            return answer(only, refusal.get());
        }
        return switch (only.evaluation().outcome()) {
            case Blocked(BlockCause cause) -> answer(only, blocked(only.evaluation(), cause));
            case Evaluation.Rewritten _ ->
                answer(
                        only,
                        refused(
                                only.evaluation(),
                                ResponseCode.REFUSED,
                                Reason.BLOCKED,
                                "a rule rewrites this question, which DNS cannot carry; change it to allow, ask or block"));
            case Evaluation.Asked _ -> answer(only, standIn(only));
            case Evaluation.Allowed _ -> resolve(only);
        };
    }

    private Judged judged(DnsQuery.Question question) {
        Evaluation evaluation = judge.look(question.event());
        List<Finding> findings = new ArrayList<>(evaluation.findings());
        findings.addAll(question.signs());
        return new Judged(question, evaluation.withFindings(findings));
    }

    /// A packet has one response code, so several questions cannot be told apart in the answer: RFC 9619 has resolvers
    /// refuse them, and no client asks so.
    private static List<DnsAction> refuseAll(List<Judged> judged) {
        boolean anyBlocked = judged.stream().anyMatch(Judged::isBlocked);
        int code = anyBlocked ? ResponseCode.REFUSED : ResponseCode.FORMAT_ERROR;
        String reason = "more than one question in a packet; ask one at a time";
        List<DnsAction> actions = new ArrayList<>();
        DnsReply reply = refusal(code, Reason.NOT_SUPPORTED, reason);
        for (Judged one : judged) {
            Answered answered = one.isBlocked()
                    ? Answered.of(reply, Outcome.DENIED, one.evaluation())
                    : refused(one.evaluation(), code, Reason.NOT_SUPPORTED, reason);
            actions.add(answered.record(one.question()));
        }
        actions.add(new DnsAction.Answer(reply));
        return actions;
    }

    private static List<DnsAction> answer(Judged judged, Answered answered) {
        return List.of(answered.record(judged.question()), new DnsAction.Answer(answered.reply()));
    }

    /// A rule's "no" is for the name, so the name does not exist. Where the engine failed closed, nothing is said of
    /// the name.
    private static Answered blocked(Evaluation evaluation, BlockCause cause) {
        boolean isAboutTheName = cause == BlockCause.RULE || cause == BlockCause.NO_RULE_MATCHED;
        String rule = evaluation.rule().map(RuleId::value).orElse("capsem");
        String text = evaluation.reason().map(reason -> rule + ": " + reason).orElse(rule);
        return Answered.of(
                new DnsReply.Refusal(
                        isAboutTheName ? ResponseCode.NAME_ERROR : ResponseCode.REFUSED,
                        Reason.BLOCKED,
                        "blocked by " + text),
                Outcome.DENIED,
                evaluation);
    }

    /// Questions that are refused even if every rule allows them.
    private static Optional<Answered> unsupported(DnsQuery query, Judged judged) {
        DnsQuery.Question question = judged.question();
        Evaluation evaluation = judged.evaluation();
        if (query.operation() != 0) {
            return notSupported(evaluation, ResponseCode.NOT_IMPLEMENTED, "only queries are answered");
        }
        if (query.ednsVersion() != 0) {
            return notSupported(evaluation, ResponseCode.BAD_VERSION, "only version 0 of EDNS is spoken");
        }
        if (question.queryClass() != RecordType.CLASS_IN) {
            return notSupported(evaluation, ResponseCode.REFUSED, "only the Internet class is answered");
        }
        if (RecordType.isTransfer(question.type()) || question.type() == RecordType.OPT) {
            return notSupported(
                    evaluation, ResponseCode.REFUSED, "zone transfers and queries for everything are not answered");
        }
        String name = question.name();
        if (name.equals(ENCRYPTED_DNS_CANARY) || name.endsWith("." + ENCRYPTED_DNS_CANARY)) {
            return Optional.of(refused(
                    evaluation,
                    ResponseCode.NAME_ERROR,
                    Reason.FILTERED,
                    "names are resolved here, not by a resolver of the browser's own"));
        }
        return Optional.empty();
    }

    private static Optional<Answered> notSupported(Evaluation evaluation, int code, String reason) {
        return Optional.of(refused(evaluation, code, Reason.NOT_SUPPORTED, reason));
    }

    /// Refused by the nature of the question. The rules had their say before and are on record with it.
    private static Answered refused(Evaluation judged, int code, Reason extended, String reason) {
        List<Step> steps = new ArrayList<>(judged.steps());
        steps.add(new Step(
                StepKind.POSTPROCESSOR, StepStatus.APPLIED, Optional.empty(), Optional.empty(), Optional.of(reason)));
        Evaluation refusal =
                judged.with(new Blocked(BlockCause.UNSUPPORTED), Optional.empty(), Optional.of(reason), steps);
        return Answered.of(refusal(code, extended, reason), Outcome.DENIED, refusal);
    }

    private static DnsReply refusal(int code, Reason extended, String reason) {
        return new DnsReply.Refusal(code, extended, "capsem: " + reason);
    }

    private static Answered standIn(Judged judged) {
        return Answered.of(
                judged.question().type() == RecordType.A ? new DnsReply.StandIn() : new DnsReply.Nothing(),
                Outcome.REDIRECTED,
                judged.evaluation());
    }

    // --- allowed ------------------------------------------------------------------------------------------------

    private List<DnsAction> resolve(Judged judged) {
        int type = judged.question().type();
        if (type == RecordType.AAAA || type == RecordType.HTTPS || type == RecordType.SVCB) {
            return answer(judged, Answered.of(new DnsReply.Nothing(), Outcome.ALLOWED, judged.evaluation()));
        }
        open = judged;
        return List.of(new DnsAction.LookUp(type));
    }

    private List<DnsAction> lookedUp(Judged judged, DnsInput.LookedUp found) {
        if (judged.question().type() != RecordType.A) {
            return told(judged, found, found.upstream());
        }
        DnsInput.LookedUp four = first;
        if (four != null) {
            return addressed(judged, four, found.isThere(), four.upstream().plus(found.upstream()));
        }
        // Some servers deny a name altogether when it has no address of the kind that was asked for.
        if (!found.isFailure() && !found.isThere()) {
            first = found;
            return List.of(new DnsAction.LookUp(RecordType.AAAA));
        }
        boolean isElsewhere =
                found.addresses().stream().anyMatch(address -> AddressClass.of(address) != AddressClass.PUBLIC);
        return addressed(judged, found, isElsewhere, found.upstream());
    }

    /// @param isElsewhere whether the address is none that the guest may have
    private List<DnsAction> addressed(Judged judged, DnsInput.LookedUp found, boolean isElsewhere, Duration upstream) {
        boolean isUnknownHere = found.isFailure() || found.responseCode() == ResponseCode.NAME_ERROR;
        if (isElsewhere || (isUnknownHere && found.isProxied())) {
            // The request that follows shows the rules where it leads.
            open = null;
            return answer(
                    judged, new Answered(new DnsReply.StandIn(), Outcome.REDIRECTED, judged.evaluation(), upstream));
        }
        return told(judged, found, upstream);
    }

    private List<DnsAction> told(Judged judged, DnsInput.LookedUp found, Duration upstream) {
        open = null;
        return answer(
                judged,
                found.isFailure()
                        ? new Answered(
                                refusal(
                                        ResponseCode.SERVER_FAILURE,
                                        Reason.NETWORK_ERROR,
                                        "no resolver of the host answered"),
                                Outcome.ERROR,
                                judged.evaluation(),
                                upstream)
                        : new Answered(
                                new DnsReply.Found(found.responseCode()),
                                Outcome.ALLOWED,
                                judged.evaluation(),
                                upstream));
    }
}
