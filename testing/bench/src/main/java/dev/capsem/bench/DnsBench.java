package dev.capsem.bench;

import dev.capsem.events.EventSink;
import dev.capsem.events.row.Attribution;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.EnvelopeSource;
import dev.capsem.events.vocabulary.IdSource;
import dev.capsem.network.address.AddressLedger;
import dev.capsem.network.dns.DnsEngine;
import dev.capsem.network.dns.DnsTransport;
import dev.capsem.network.dns.HostLookup;
import dev.capsem.network.dns.HostNamesFile;
import dev.capsem.security.RuleCompiler;
import dev.capsem.security.RuleSnapshot;
import dev.capsem.security.SecurityEngine;
import dev.capsem.source.Layer;
import dev.capsem.source.SourceText;
import dev.capsem.telemetry.SessionIdentity;
import dev.capsem.telemetry.write.SessionWriter;
import dev.capsem.wire.io.UnixListener;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;

/// How many cached answers a second the DNS engine gives, with a rule to judge by and every answer on record: a new
/// connection for each question, as the guest's agent makes it, and many questions over one.
record DnsBench() implements BenchMain.Part {
    private static final String BUDGET = "≥ 13000";
    private static final int QUESTIONS = 60_000;
    private static final int[] CLIENTS = {1, 10, 50};
    private static final String RULES = """
            [security.rules.dns.known]
            on = "dns.request"
            if = 'dns.request.qname in ["www.example.com", "api.example.com"]'
            decision = "allow"
            """;
    private static final byte[] PREAMBLE =
            "\0CAPSEM_META:bench\n\0CAPSEM_DST:10.0.2.3:53/udp\n".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] QUESTION = question();

    /// Answers every question with one public address, at once.
    private record Upstream() implements DnsTransport {
        @Override
        public byte[] overUdp(InetSocketAddress server, byte[] query, Predicate<byte[]> expected, Duration timeout) {
            // Without the OPT record of eleven bytes at its end, and with an answer for the name at offset twelve.
            ByteBuffer answer = ByteBuffer.allocate(query.length - 11 + 16).put(query, 0, query.length - 11);
            answer.putShort(2, (short) 0x8180).putShort(6, (short) 1).putShort(10, (short) 0);
            answer.putShort((short) 0xc00c)
                    .putShort((short) 1)
                    .putShort((short) 1)
                    .putInt(3_600);
            answer.putShort((short) 4)
                    .put(InetAddress.ofLiteral("93.184.215.14").getAddress());
            return answer.array();
        }

        @Override
        public byte[] overTcp(InetSocketAddress server, byte[] query, Duration timeout) throws IOException {
            throw new IOException("not asked over TCP");
        }
    }

    @Override
    public void run(Consumer<Measurement> found) throws IOException {
        Path directory = Files.createTempDirectory("csdns");
        InstantSource clock = InstantSource.system();
        try (SessionWriter writer = SessionWriter.open(
                        directory.resolve("session.db"), new SessionIdentity("bench", "coding", "0"), clock);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                UnixListener listener = UnixListener.bind(directory.resolve("5007"), "rw-------")) {
            DnsEngine engine = engine(writer, clock, threads);
            threads.execute(() -> serve(listener, engine, threads));
            ask(listener.path(), QUESTIONS, 10, 1);
            for (int clients : CLIENTS) {
                double millis = BenchStopwatch.millis(() -> ask(listener.path(), QUESTIONS, clients, 1));
                found.accept(new Measurement.Figure(
                        "dns: a connection per question, c=" + clients,
                        QUESTIONS * 1000.0 / millis,
                        "answers/s",
                        Optional.of(BUDGET)));
            }
            double millis = BenchStopwatch.millis(() -> ask(listener.path(), QUESTIONS, 10, 100));
            found.accept(new Measurement.Figure(
                    "dns: 100 questions a connection, c=10",
                    QUESTIONS * 1000.0 / millis,
                    "answers/s",
                    Optional.empty()));
        }
        BenchPrograms.run(List.of("rm", "-rf", directory.toString()));
    }

    private static DnsEngine engine(EventSink sink, InstantSource clock, ExecutorService threads) {
        IdSource ids = new IdSource(clock, new Random(7));
        EnvelopeSource envelopes =
                correlation -> Envelope.inline(ids.nextEventId(), clock.instant(), Attribution.UNKNOWN, correlation);
        HostLookup lookup = new HostLookup(
                new Upstream(),
                () -> List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 53)),
                () -> HostNamesFile.EMPTY,
                threads,
                new Random(7),
                System::nanoTime);
        return new DnsEngine(new SecurityEngine(snapshot()), envelopes, sink, lookup, new AddressLedger(), () -> false);
    }

    private static RuleSnapshot snapshot() {
        return switch (new RuleCompiler().compile(List.of(new SourceText("bench", Layer.USER, RULES)))) {
            case RuleCompiler.Result.Compiled compiled -> compiled.snapshot();
            case RuleCompiler.Result.Rejected rejected ->
                throw new IllegalStateException(rejected.problems().toString());
        };
    }

    private static void serve(UnixListener listener, DnsEngine engine, ExecutorService threads) {
        try {
            for (Optional<SocketChannel> next = listener.accept(); next.isPresent(); next = listener.accept()) {
                SocketChannel connection = next.get();
                threads.execute(() -> {
                    try (connection) {
                        engine.serve(connection);
                    } catch (IOException e) {
                        // The client is done.
                    }
                });
            }
        } catch (IOException e) {
            // The bench is over.
        }
    }

    private static void ask(Path socket, int questions, int clients, int perConnection) throws IOException {
        AtomicInteger left = new AtomicInteger(questions);
        List<IOException> failures = new CopyOnWriteArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < clients; i++) {
                threads.execute(() -> {
                    try {
                        while (left.addAndGet(-perConnection) >= 0) {
                            connect(socket, perConnection);
                        }
                    } catch (IOException e) {
                        failures.add(e);
                    }
                });
            }
        }
        if (!failures.isEmpty()) {
            throw failures.getFirst();
        }
    }

    private static void connect(Path socket, int questions) throws IOException {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            ByteBuffer reply = ByteBuffer.allocate(512);
            for (int i = 0; i < questions; i++) {
                ByteBuffer message = ByteBuffer.allocate(PREAMBLE.length + QUESTION.length);
                if (i == 0) {
                    message.put(PREAMBLE);
                }
                message.put(QUESTION).flip();
                while (message.hasRemaining()) {
                    channel.write(message);
                }
                reply.clear();
                while (reply.position() < 2 || reply.position() < 2 + reply.getShort(0)) {
                    if (channel.read(reply) < 0) {
                        throw new IOException("the engine hung up");
                    }
                }
                boolean isAnswer = (reply.get(5) & 0xf) == 0 && reply.getShort(8) == 1;
                if (!isAnswer) {
                    throw new IOException("not the answer that was expected");
                }
            }
        }
    }

    private static byte[] question() {
        byte[] name = "\3www\7example\3com\0".getBytes(StandardCharsets.US_ASCII);
        int length = 12 + name.length + 4;
        return ByteBuffer.allocate(2 + length)
                .putShort((short) length)
                .putShort((short) 0x1234)
                .putShort((short) 0x0100)
                .putShort((short) 1)
                .putShort((short) 0)
                .putInt(0)
                .put(name)
                .putShort((short) 1)
                .putShort((short) 1)
                .array();
    }
}
