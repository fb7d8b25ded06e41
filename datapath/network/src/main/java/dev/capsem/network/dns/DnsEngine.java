package dev.capsem.network.dns;

import dev.capsem.events.Admission;
import dev.capsem.events.Correlation;
import dev.capsem.events.EventSink;
import dev.capsem.events.Finding;
import dev.capsem.events.row.Outcome;
import dev.capsem.events.security.AddressClass;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.EnvelopeSource;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.Evaluation.Allowed;
import dev.capsem.events.security.Evaluation.Asked;
import dev.capsem.events.security.Evaluation.Blocked;
import dev.capsem.events.security.Evaluation.Rewritten;
import dev.capsem.events.security.RuleId;
import dev.capsem.events.security.SecurityEvent.DnsRequest;
import dev.capsem.events.security.SecurityGate;
import dev.capsem.network.address.AddressLedger;
import dev.capsem.network.metrics.Histogram;
import dev.capsem.wire.guest.Preamble;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.channels.ByteChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/// Answers the guest's questions. Each is judged before anything leaves; a blocked name does not exist, an asked
/// one gets an address that stands for it, so that a person is asked when a request follows. IPv6 addresses and
/// service bindings are never given: sandboxes speak IPv4 to their own agent only, and an encrypted client hello
/// would hide the name.
public final class DnsEngine {
    /// Short: once a person or a rule said yes, the real address follows soon.
    private static final long SYNTHETIC_TTL_SECONDS = 60;
    /// Without EDNS a datagram is at most this long (RFC 1035).
    private static final int DATAGRAM_BYTES_MIN = 512;

    private static final int DATAGRAM_BYTES_MAX = 4_096;
    private static final int MESSAGE_BYTES_MAX = 65_535;
    /// Browsers ask for it to learn whether they may take their questions past us, to a resolver of their own.
    private static final String ENCRYPTED_DNS_CANARY = "use-application-dns.net";

    private final SecurityGate gate;
    private final EnvelopeSource envelopes;
    private final HostLookup lookup;
    private final AddressLedger ledger;
    /// Whether a proxy resolves what the host cannot.
    private final BooleanSupplier isProxied;

    private final DnsRecorder recorder;
    private final Histogram handleMillis = Histogram.ofMillis();

    record Judged(Question question, DnsRequest event, Evaluation evaluation) {}

    /// @param isProxied whether upstream connections go through a proxy now
    public DnsEngine(
            SecurityGate gate,
            EnvelopeSource envelopes,
            EventSink sink,
            HostLookup lookup,
            AddressLedger ledger,
            BooleanSupplier isProxied) {
        this.gate = gate;
        this.envelopes = envelopes;
        this.recorder = new DnsRecorder(sink, envelopes);
        this.lookup = lookup;
        this.ledger = ledger;
        this.isProxied = isProxied;
    }

    /// Serves one connection to its end. Whoever calls it bounds its time and closes the channel.
    public void serve(ByteChannel connection) throws IOException {
        GuestStream stream = new GuestStream(connection);
        Optional<Preamble> preamble = stream.preamble();
        if (preamble.isEmpty()) {
            recorder.unreadable(new Origin(Optional.empty(), Origin.TCP), "a broken preamble");
            return;
        }
        Origin origin = Origin.of(preamble.get());
        while (true) {
            Optional<byte[]> message = stream.message();
            if (message.isEmpty()) {
                return;
            }
            Optional<byte[]> reply = answer(message.get(), origin);
            if (reply.isEmpty()) {
                return;
            }
            stream.write(reply.get());
        }
    }

    public DnsCounts counts() {
        return recorder.counts(lookup.lookups(), handleMillis);
    }

    /// Empty when there is nobody to answer.
    Optional<byte[]> answer(byte[] message, Origin origin) {
        return switch (GuestQuery.parse(message)) {
            case GuestQuery.Nothing nothing -> {
                recorder.unreadable(origin, nothing.reason());
                yield Optional.empty();
            }
            case GuestQuery.Unreadable unreadable -> {
                recorder.unreadable(origin, unreadable.reason());
                yield Optional.of(Reply.toUnreadable(unreadable));
            }
            case GuestQuery.Understood query ->
                Optional.of(answerOrFail(query, origin).encode(query, bytesMax(query, origin)));
        };
    }

    /// The exchange's boundary: a bug of ours costs this question its answer, and is on record.
    private Reply answerOrFail(GuestQuery.Understood query, Origin origin) {
        long startedNanos = System.nanoTime();
        try {
            return answer(query, origin);
        } catch (RuntimeException bug) {
            recorder.unreadable(origin, "the engine failed: " + bug.getClass().getSimpleName());
            return Reply.code(ResponseCode.SERVER_FAILURE);
        } finally {
            handleMillis.observe((System.nanoTime() - startedNanos) / 1e6);
        }
    }

    private static int bytesMax(GuestQuery.Understood query, Origin origin) {
        if (!origin.isUdp()) {
            return MESSAGE_BYTES_MAX;
        }
        return query.edns()
                .map(edns -> Math.clamp(edns.payloadBytesMax(), DATAGRAM_BYTES_MIN, DATAGRAM_BYTES_MAX))
                .orElse(DATAGRAM_BYTES_MIN);
    }

    private Reply answer(GuestQuery.Understood query, Origin origin) {
        return switch (recorder.admit()) {
            case Admission.Refused refused ->
                Reply.code(
                        ResponseCode.SERVER_FAILURE,
                        Reply.Reason.OTHER,
                        "capsem: " + Admission.CODE + ": " + refused.reason());
            case Admission.Admitted(Admission.Place place) -> {
                try (place) {
                    yield answer(query, origin, place);
                }
            }
        };
    }

    private Reply answer(GuestQuery.Understood query, Origin origin, Admission.Place place) {
        List<Judged> judged = query.questions().stream()
                .map(question -> judge(question, origin))
                .toList();
        if (judged.size() > 1) {
            return refuseAll(judged, origin, place);
        }
        Judged only = judged.getFirst();
        Answered answered = answered(query, only);
        recorder.answered(only, answered, origin, place);
        return answered.reply();
    }

    private Judged judge(Question question, Origin origin) {
        DnsRequest event = new DnsRequest(
                envelopes.inline(Correlation.NONE).withCaller(origin.caller()),
                question.name().text(),
                RecordType.mnemonic(question.type()),
                origin.transport());
        Evaluation evaluation = gate.evaluate(event);
        List<Finding> signs = TunnelSigns.find(event.envelope().id(), question.name());
        if (signs.isEmpty()) {
            return new Judged(question, event, evaluation);
        }
        List<Finding> findings = new ArrayList<>(evaluation.findings());
        findings.addAll(signs);
        return new Judged(
                question,
                event,
                new Evaluation(
                        evaluation.outcome(), evaluation.rule(), evaluation.reason(), evaluation.steps(), findings));
    }

    /// A packet has one response code, so several questions cannot be told apart in the answer: RFC 9619 has resolvers
    /// refuse them, and no client asks so.
    private Reply refuseAll(List<Judged> judged, Origin origin, Admission.Place place) {
        boolean anyBlocked = judged.stream().anyMatch(one -> one.evaluation().outcome() instanceof Blocked);
        int code = anyBlocked ? ResponseCode.REFUSED : ResponseCode.FORMAT_ERROR;
        String reason = "more than one question in a packet; ask one at a time";
        Answered last = Answered.refused(judged.getLast().evaluation(), code, Reply.Reason.NOT_SUPPORTED, reason);
        for (Judged one : judged) {
            Answered answered = one.evaluation().outcome() instanceof Blocked
                    ? Answered.of(last.reply(), Outcome.DENIED, one.evaluation())
                    : Answered.refused(one.evaluation(), code, Reply.Reason.NOT_SUPPORTED, reason);
            recorder.answered(one, answered, origin, place);
        }
        return last.reply();
    }

    private Answered answered(GuestQuery.Understood query, Judged judged) {
        Evaluation evaluation = judged.evaluation();
        if (evaluation.outcome() instanceof Blocked(BlockCause cause)) {
            return blocked(evaluation, cause);
        }
        Optional<Answered> refusal = unsupported(query, judged);
        if (refusal.isPresent()) {
            return refusal.get();
        }
        return switch (evaluation.outcome()) {
            case Blocked(BlockCause cause) -> blocked(evaluation, cause);
            case Rewritten _ ->
                Answered.refused(
                        evaluation,
                        ResponseCode.REFUSED,
                        Reply.Reason.BLOCKED,
                        "a rule rewrites this question, which DNS cannot carry; change it to allow, ask or block");
            case Asked _ -> standIn(judged);
            case Allowed _ -> resolved(judged);
        };
    }

    /// A rule's "no" is for the name, so the name does not exist. Where the engine failed closed, nothing is said of
    /// the name.
    private static Answered blocked(Evaluation evaluation, BlockCause cause) {
        boolean isAboutTheName = cause == BlockCause.RULE || cause == BlockCause.NO_RULE_MATCHED;
        String rule = evaluation.rule().map(RuleId::value).orElse("capsem");
        String text = evaluation.reason().map(reason -> rule + ": " + reason).orElse(rule);
        return Answered.of(
                Reply.code(
                        isAboutTheName ? ResponseCode.NAME_ERROR : ResponseCode.REFUSED,
                        Reply.Reason.BLOCKED,
                        "blocked by " + text),
                Outcome.DENIED,
                evaluation);
    }

    /// What is refused even if every rule allows it.
    private static Optional<Answered> unsupported(GuestQuery.Understood query, Judged judged) {
        Question question = judged.question();
        Evaluation evaluation = judged.evaluation();
        if (query.operation() != 0) {
            return refusal(evaluation, ResponseCode.NOT_IMPLEMENTED, "only queries are answered");
        }
        if (query.edns().isPresent() && query.edns().get().version() != 0) {
            return refusal(evaluation, ResponseCode.BAD_VERSION, "only version 0 of EDNS is spoken");
        }
        if (question.queryClass() != RecordType.CLASS_IN) {
            return refusal(evaluation, ResponseCode.REFUSED, "only the Internet class is answered");
        }
        if (RecordType.isTransfer(question.type()) || question.type() == RecordType.OPT) {
            return refusal(
                    evaluation, ResponseCode.REFUSED, "zone transfers and queries for everything are not answered");
        }
        String name = question.name().text();
        if (name.equals(ENCRYPTED_DNS_CANARY) || name.endsWith("." + ENCRYPTED_DNS_CANARY)) {
            return Optional.of(Answered.refused(
                    evaluation,
                    ResponseCode.NAME_ERROR,
                    Reply.Reason.FILTERED,
                    "names are resolved here, not by a resolver of the browser's own"));
        }
        return Optional.empty();
    }

    private static Optional<Answered> refusal(Evaluation evaluation, int code, String reason) {
        return Optional.of(Answered.refused(evaluation, code, Reply.Reason.NOT_SUPPORTED, reason));
    }

    private Answered standIn(Judged judged) {
        Question question = judged.question();
        List<ResourceRecord> records =
                question.type() == RecordType.A ? List.of(synthetic(question.name())) : List.of();
        return Answered.of(Reply.answer(records), Outcome.REDIRECTED, judged.evaluation());
    }

    private Answered resolved(Judged judged) {
        Question question = judged.question();
        return switch (question.type()) {
            case RecordType.AAAA, RecordType.HTTPS, RecordType.SVCB ->
                Answered.of(Reply.answer(List.of()), Outcome.ALLOWED, judged.evaluation());
            case RecordType.A -> resolvedAddress(judged);
            default -> {
                Lookup found = lookup.lookup(question.name(), question.type());
                yield told(judged, found, found.upstream());
            }
        };
    }

    private Answered resolvedAddress(Judged judged) {
        DnsName name = judged.question().name();
        Lookup found = lookup.lookup(name, RecordType.A);
        Duration upstream = found.upstream();
        // Some servers deny a name altogether when it has no address of the kind that was asked for.
        boolean hasNoAddress = !found.isFailure() && !found.has(RecordType.A);
        boolean isElsewhere = !addresses(found).stream().allMatch(DnsEngine::isPublic);
        if (hasNoAddress) {
            Lookup six = lookup.lookup(name, RecordType.AAAA);
            upstream = upstream.plus(six.upstream());
            isElsewhere = six.has(RecordType.AAAA);
        }
        boolean isUnknownHere = found.isFailure() || found.responseCode() == ResponseCode.NAME_ERROR;
        if (isElsewhere || (isUnknownHere && isProxied.getAsBoolean())) {
            // The address is none that the guest may have, or only the proxy knows it; the request that follows shows
            // the rules where it leads.
            return new Answered(
                    Reply.answer(List.of(synthetic(name))), Outcome.REDIRECTED, judged.evaluation(), upstream);
        }
        for (ResourceRecord record : found.answers()) {
            record.address()
                    .ifPresent(address -> ledger.give(name.text(), address, Duration.ofSeconds(record.ttlSeconds())));
        }
        return told(judged, found, upstream);
    }

    private static Answered told(Judged judged, Lookup found, Duration upstream) {
        if (found.isFailure()) {
            return new Answered(
                    Reply.code(
                            ResponseCode.SERVER_FAILURE,
                            Reply.Reason.NETWORK_ERROR,
                            "capsem: no resolver of the host answered"),
                    Outcome.ERROR,
                    judged.evaluation(),
                    upstream);
        }
        return new Answered(
                new Reply(found.responseCode(), found.answers(), Optional.empty()),
                Outcome.ALLOWED,
                judged.evaluation(),
                upstream);
    }

    private static List<InetAddress> addresses(Lookup found) {
        return found.answers().stream()
                .flatMap(record -> record.address().stream())
                .toList();
    }

    private static boolean isPublic(InetAddress address) {
        return AddressClass.of(address) == AddressClass.PUBLIC;
    }

    private ResourceRecord synthetic(DnsName name) {
        return ResourceRecord.address(name, ledger.synthetic(name.text()), SYNTHETIC_TTL_SECONDS);
    }
}
