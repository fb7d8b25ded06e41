package dev.capsem.network.dns;

import dev.capsem.exchange.dns.RecordType;
import dev.capsem.exchange.dns.ResponseCode;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/// Asks the host's resolvers, one after the other, until one gives an answer that fits the question.
final class UpstreamClient {
    /// Of one datagram. With [#ROUNDS] and three resolvers all of it stays below the ten seconds a guest waits.
    static final Duration ATTEMPT_TIME_MAX = Duration.ofMillis(1_500);

    static final int ROUNDS = 2;
    /// As many as the C library reads.
    static final int RESOLVERS_MAX = 3;

    private final DnsTransport transport;
    private final Supplier<List<InetSocketAddress>> resolvers;
    private final RandomGenerator random;
    private final Duration attemptTime;

    UpstreamClient(
            DnsTransport transport,
            Supplier<List<InetSocketAddress>> resolvers,
            RandomGenerator random,
            Duration attemptTime) {
        this.transport = transport;
        this.resolvers = resolvers;
        this.random = random;
        this.attemptTime = attemptTime;
    }

    /// NOERROR or NXDOMAIN of the first resolver that says either; empty if none did.
    Optional<UpstreamMessage> ask(DnsName name, int type) {
        List<InetSocketAddress> servers = resolvers.get();
        for (int round = 0; round < ROUNDS; round++) {
            for (InetSocketAddress server : servers.subList(0, Math.min(servers.size(), RESOLVERS_MAX))) {
                if (Thread.currentThread().isInterrupted()) {
                    return Optional.empty();
                }
                Optional<UpstreamMessage> answer = ask(server, name, type);
                if (answer.isPresent()) {
                    return answer;
                }
            }
        }
        return Optional.empty();
    }

    private Optional<UpstreamMessage> ask(InetSocketAddress server, DnsName name, int type) {
        try {
            Optional<UpstreamMessage> answer = ask(server, name, type, true);
            boolean isOld = answer.isPresent()
                    && (answer.get().responseCode() == ResponseCode.FORMAT_ERROR
                            || answer.get().responseCode() == ResponseCode.NOT_IMPLEMENTED);
            return (isOld ? ask(server, name, type, false) : answer).filter(UpstreamClient::isFinal);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static boolean isFinal(UpstreamMessage answer) {
        return answer.responseCode() == ResponseCode.NO_ERROR || answer.responseCode() == ResponseCode.NAME_ERROR;
    }

    private Optional<UpstreamMessage> ask(InetSocketAddress server, DnsName name, int type, boolean withEdns)
            throws IOException {
        int id = random.nextInt(0x10000);
        byte[] query = UpstreamMessage.query(id, name, type, withEdns, random);
        Question question = new Question(name, type, RecordType.CLASS_IN);
        byte[] datagram = transport.overUdp(
                server, query, bytes -> fits(bytes, id, question).isPresent(), attemptTime);
        UpstreamMessage answer = fits(datagram, id, question).orElseThrow();
        // A resolver that does not echo the letters as sent may be honest; over TCP nobody else could have answered.
        boolean isCertain = Arrays.equals(answer.questionBytes(), questionBytes(query, name));
        if (isCertain && !answer.isTruncated()) {
            return Optional.of(answer);
        }
        return fits(transport.overTcp(server, query, attemptTime), id, question)
                .filter(complete -> !complete.isTruncated());
    }

    private static Optional<UpstreamMessage> fits(byte[] bytes, int id, Question question) {
        return UpstreamMessage.parse(bytes)
                .filter(answer -> answer.id() == id && answer.question().equals(question));
    }

    private static byte[] questionBytes(byte[] query, DnsName name) {
        int start = GuestQuery.HEADER_BYTES;
        return Arrays.copyOfRange(query, start, start + name.wireLength() + 4);
    }
}
