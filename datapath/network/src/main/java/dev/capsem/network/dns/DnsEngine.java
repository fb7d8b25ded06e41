package dev.capsem.network.dns;

import dev.capsem.events.Admission;
import dev.capsem.events.Admission.Place;
import dev.capsem.events.EventSink;
import dev.capsem.events.security.EnvelopeSource;
import dev.capsem.events.security.SecurityEvent.DnsRequest;
import dev.capsem.events.security.SecurityGate;
import dev.capsem.events.vocabulary.Correlation;
import dev.capsem.exchange.Judge;
import dev.capsem.exchange.dns.DnsAction;
import dev.capsem.exchange.dns.DnsExchange;
import dev.capsem.exchange.dns.DnsInput;
import dev.capsem.exchange.dns.DnsQuery;
import dev.capsem.exchange.dns.DnsReply;
import dev.capsem.exchange.dns.RecordType;
import dev.capsem.exchange.dns.ResponseCode;
import dev.capsem.network.address.AddressLedger;
import dev.capsem.network.metrics.Histogram;
import dev.capsem.wire.guest.Preamble;
import java.io.IOException;
import java.nio.channels.ByteChannel;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/// Answers the guest's questions as [DnsExchange] decides.
public final class DnsEngine {
    /// Short: once a person or a rule said yes, the real address follows soon.
    private static final long SYNTHETIC_TTL_SECONDS = 60;
    /// Without EDNS a datagram is at most this long (RFC 1035).
    private static final int DATAGRAM_BYTES_MIN = 512;

    private static final int DATAGRAM_BYTES_MAX = 4_096;
    private static final int MESSAGE_BYTES_MAX = 65_535;

    private final SecurityGate gate;
    private final EnvelopeSource envelopes;
    private final HostLookup lookup;
    private final AddressLedger ledger;
    /// Whether a proxy resolves what the host cannot.
    private final BooleanSupplier isProxied;

    private final DnsRecorder recorder;
    private final Histogram handleMillis = Histogram.ofMillis();

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
            recorder.unreadable(new QueryOrigin(Optional.empty(), QueryOrigin.TCP), "a broken preamble");
            return;
        }
        QueryOrigin origin = QueryOrigin.of(preamble.get());
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
    Optional<byte[]> answer(byte[] message, QueryOrigin origin) {
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
    private Reply answerOrFail(GuestQuery.Understood query, QueryOrigin origin) {
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

    private static int bytesMax(GuestQuery.Understood query, QueryOrigin origin) {
        if (!origin.isUdp()) {
            return MESSAGE_BYTES_MAX;
        }
        return query.edns()
                .map(edns -> Math.clamp(edns.payloadBytesMax(), DATAGRAM_BYTES_MIN, DATAGRAM_BYTES_MAX))
                .orElse(DATAGRAM_BYTES_MIN);
    }

    private Reply answer(GuestQuery.Understood query, QueryOrigin origin) {
        Packet packet = new Packet(query, origin);
        return switch (recorder.admit()) {
            case Admission.Refused refused -> packet.reply(new DnsInput.NotAdmitted(refused), Place.BOUNDLESS);
            case Admission.Admitted(Place place) -> {
                try (place) {
                    yield packet.reply(new DnsInput.Admitted(packet.judgeable()), place);
                }
            }
        };
    }

    /// Translates between one [DnsExchange] and the lookup, the ledger and the record.
    private final class Packet {
        private final DnsExchange exchange = new DnsExchange(new Judge(gate));
        private final GuestQuery.Understood query;
        private final QueryOrigin origin;

        /// Of the type that was asked for; nothing yet.
        private Optional<Lookup> found = Optional.empty();

        Packet(GuestQuery.Understood query, QueryOrigin origin) {
            this.query = query;
            this.origin = origin;
        }

        DnsQuery judgeable() {
            return new DnsQuery(
                    query.operation(),
                    query.edns().map(GuestQuery.Edns::version).orElse(0),
                    query.questions().stream().map(this::judgeable).toList());
        }

        private DnsQuery.Question judgeable(Question question) {
            DnsRequest event = new DnsRequest(
                    envelopes.inline(Correlation.NONE).withCaller(origin.caller()),
                    question.name().text(),
                    RecordType.mnemonic(question.type()),
                    origin.transport());
            return new DnsQuery.Question(
                    event,
                    question.name().text(),
                    question.type(),
                    question.queryClass(),
                    TunnelSigns.find(event.envelope().id(), question.name()));
        }

        Reply reply(DnsInput first, Place place) {
            DnsInput input = first;
            while (true) {
                for (DnsAction action : exchange.on(input)) {
                    switch (action) {
                        case DnsAction.LookUp(int type) -> input = lookedUp(type);
                        case DnsAction.PutOnRecord record -> recorder.answered(record, origin, place);
                        case DnsAction.Answer(DnsReply reply) -> {
                            return encodable(reply);
                        }
                    }
                }
            }
        }

        private DnsInput lookedUp(int type) {
            Lookup looked = lookup.lookup(query.question().name(), type);
            if (type == query.question().type()) {
                found = Optional.of(looked);
            }
            return new DnsInput.LookedUp(
                    looked.responseCode(),
                    looked.has(type),
                    looked.answers().stream()
                            .flatMap(record -> record.address().stream())
                            .toList(),
                    looked.upstream(),
                    isProxied.getAsBoolean());
        }

        private Reply encodable(DnsReply reply) {
            DnsName name = query.question().name();
            return switch (reply) {
                case DnsReply.Refusal(int code, DnsReply.Reason reason, String text) ->
                    Reply.code(code, reason.code(), text);
                case DnsReply.Nothing _ -> Reply.answer(List.of());
                case DnsReply.StandIn _ ->
                    Reply.answer(List.of(
                            ResourceRecord.address(name, ledger.synthetic(name.text()), SYNTHETIC_TTL_SECONDS)));
                case DnsReply.Found(int code) -> {
                    List<ResourceRecord> records = found.map(Lookup::answers).orElse(List.of());
                    if (query.question().type() == RecordType.A) {
                        give(name, records);
                    }
                    yield new Reply(code, records, Optional.empty());
                }
            };
        }

        /// Connections to these addresses are taken for connections to that name.
        private void give(DnsName name, List<ResourceRecord> records) {
            for (ResourceRecord record : records) {
                record.address()
                        .ifPresent(
                                address -> ledger.give(name.text(), address, Duration.ofSeconds(record.ttlSeconds())));
            }
        }
    }
}
