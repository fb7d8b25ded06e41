package dev.capsem.network.dns;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.exchange.dns.RecordType;
import dev.capsem.exchange.dns.ResponseCode;
import dev.capsem.network.address.Resolution;
import dev.capsem.network.dns.io.SocketDnsTransport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("sockets")
final class HostLookupTest {
    private static final DnsName NAME = DnsName.ofHost("www.example.com").orElseThrow();

    /// With a resolver that stays silent.
    private static final Duration IMPATIENCE = Duration.ofSeconds(1);

    private final AtomicLong nanos = new AtomicLong();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    @AfterEach
    void close() {
        threads.shutdownNow();
        threads.close();
    }

    @Test
    void asksOnceAndAgesWhatItRemembers() throws IOException {
        try (LoopbackDns server = LoopbackDns.answering(query -> answer(query, 100))) {
            HostLookup lookup = lookup(server.address());

            Lookup first = lookup.lookup(NAME, RecordType.A);
            nanos.addAndGet(Duration.ofSeconds(40).toNanos());
            Lookup second = lookup.lookup(NAME, RecordType.A);
            nanos.addAndGet(Duration.ofSeconds(60).toNanos());
            lookup.lookup(NAME, RecordType.A);

            assertThat(first.answers().getFirst().ttlSeconds()).isEqualTo(100);
            assertThat(second.answers().getFirst().ttlSeconds()).isEqualTo(60);
            assertThat(second.upstream()).isZero();
            assertThat(server.asked()).hasSize(2);
        }
    }

    @Test
    void clampsLongAndShortTimesToLive() throws IOException {
        try (LoopbackDns server = LoopbackDns.answering(
                query -> answer(query, Messages.nameOf(query).length() == 15 ? 0 : 1_000_000))) {
            HostLookup lookup = lookup(server.address());
            DnsName longLived = DnsName.ofHost("example.com").orElseThrow();

            lookup.lookup(NAME, RecordType.A);
            lookup.lookup(NAME, RecordType.A);
            assertThat(server.asked()).hasSize(1);
            lookup.lookup(longLived, RecordType.A);
            nanos.addAndGet(Duration.ofSeconds(Lookups.TTL_SECONDS_MAX).toNanos());
            lookup.lookup(longLived, RecordType.A);

            assertThat(server.asked()).hasSize(3);
        }
    }

    @Test
    void remembersThatANameIsNotThereAsLongAsItsZoneSays() throws IOException {
        try (LoopbackDns server = LoopbackDns.answering(
                query -> Messages.response(query, 3, List.of(), List.of(Messages.soa("example.com", 3_600, 20))))) {
            HostLookup lookup = lookup(server.address());

            assertThat(lookup.lookup(NAME, RecordType.A).responseCode()).isEqualTo(ResponseCode.NAME_ERROR);
            nanos.addAndGet(Duration.ofSeconds(19).toNanos());
            lookup.lookup(NAME, RecordType.A);
            assertThat(server.asked()).hasSize(1);
            nanos.addAndGet(Duration.ofSeconds(2).toNanos());
            lookup.lookup(NAME, RecordType.A);
            assertThat(server.asked()).hasSize(2);
        }
    }

    @Test
    void asksOnceForManyWhoAskAtTheSameTime() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch mayAnswer = new CountDownLatch(1);
        try (LoopbackDns server = LoopbackDns.answering(query -> {
            asked.countDown();
            await(mayAnswer);
            return answer(query, 100);
        })) {
            HostLookup lookup = lookup(server.address());
            AtomicInteger answered = new AtomicInteger();
            CountDownLatch all = new CountDownLatch(50);
            for (int i = 0; i < 50; i++) {
                threads.execute(() -> {
                    answered.addAndGet(
                            lookup.lookup(NAME, RecordType.A).answers().size());
                    all.countDown();
                });
            }
            await(asked);
            mayAnswer.countDown();
            await(all);

            assertThat(answered).hasValue(50);
            assertThat(server.asked()).hasSize(1);
        }
    }

    @Test
    void doesNotAskForWhatAnotherHasJustLearned() throws IOException {
        try (LoopbackDns server = LoopbackDns.answering(query -> answer(query, 100))) {
            AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {});
            HostLookup lookup = lookup(HostNamesFile.EMPTY, List.of(server.address()), LoopbackDns.PATIENCE, () -> {
                Objects.requireNonNull(meanwhile.getAndSet(() -> {})).run();
                return nanos.get();
            });
            lookup.lookup(NAME, RecordType.A);
            nanos.addAndGet(Duration.ofSeconds(100).toNanos());

            // While the first is looking at the answer that is too old.
            meanwhile.set(() -> lookup.lookup(NAME, RecordType.A));
            lookup.lookup(NAME, RecordType.A);

            assertThat(server.asked()).hasSize(2);
            assertThat(lookup.lookups().misses()).isEqualTo(2);
            assertThat(lookup.lookups().hits()).isEqualTo(1);
        }
    }

    @Test
    void sendsNoTwoQueriesAlike() throws IOException {
        try (LoopbackDns server = LoopbackDns.answering(query -> answer(query, 100))) {
            HostLookup lookup = lookup(server.address());
            for (int i = 0; i < 20; i++) {
                lookup.lookup(
                        DnsName.ofHost("abcdefghijklmnop" + i + ".example.com").orElseThrow(), RecordType.A);
            }

            assertThat(server.asked().stream().map(Messages::id).distinct().count())
                    .isGreaterThan(15);
            assertThat(server.asked())
                    .anyMatch(query -> !Messages.nameOf(query)
                            .equals(Messages.nameOf(query).toLowerCase(Locale.ROOT)));
        }
    }

    @Test
    void ignoresForgeriesAndWaitsForTheHonestAnswer() throws IOException {
        try (LoopbackDns server = new LoopbackDns(
                query -> List.of(
                        new byte[] {1, 2, 3},
                        withId(answer(query, "203.0.113.66"), Messages.id(query) ^ 1),
                        answer(Messages.query(Messages.id(query), "www.example.net", Messages.A), "203.0.113.66"),
                        query,
                        answer(query, 100)),
                _ -> new byte[0])) {
            Lookup found = lookup(server.address()).lookup(NAME, RecordType.A);

            assertThat(found.answers().getFirst().address()).contains(InetAddress.ofLiteral("93.184.215.14"));
        }
    }

    @Test
    void asksOverTcpWhenTheLettersCameBackChanged() throws IOException {
        try (LoopbackDns server = new LoopbackDns(
                query -> List.of(Messages.bytes(
                        Messages.header(Messages.id(query), 0x8180, 1, 1, 0, 0),
                        Messages.question(otherCase(Messages.nameOf(query)), Messages.A),
                        Messages.a("www.example.com", 100, "203.0.113.66"))),
                query -> answer(query, 100))) {
            HostLookup lookup = lookup(server.address());

            Lookup found = lookup.lookup(NAME, RecordType.A);

            assertThat(found.answers().getFirst().address()).contains(InetAddress.ofLiteral("93.184.215.14"));
        }
    }

    @Test
    void keepsNothingThatDoesNotBelongToTheQuestion() throws IOException {
        try (LoopbackDns server = LoopbackDns.answering(query -> Messages.response(
                query,
                Messages.record("www.example.com", Messages.CNAME, 50, Messages.name("edge.example.net")),
                Messages.a("bank.example", 100, "203.0.113.66"),
                Messages.a("edge.example.net", 100, "93.184.215.14"),
                Messages.a("www.example.com", 100, "203.0.113.66")))) {
            Lookup found = lookup(server.address()).lookup(NAME, RecordType.A);

            assertThat(found.answers())
                    .extracting(record -> record.owner().text())
                    .containsExactly("www.example.com", "edge.example.net");
        }
    }

    @Test
    void asksOverTcpWhenTheAnswerWasCut() throws IOException {
        try (LoopbackDns server = new LoopbackDns(
                query -> List.of(Messages.withFlags(Messages.response(query), 0x0200)), query -> answer(query, 100))) {
            assertThat(lookup(server.address()).lookup(NAME, RecordType.A).answers())
                    .hasSize(1);
        }
    }

    @Test
    void triesTheNextResolverWhenOneIsSilentBrokenOrNotThere() throws IOException {
        try (LoopbackDns silent = LoopbackDns.silent();
                LoopbackDns broken = LoopbackDns.answering(query -> Messages.response(query, 2, List.of(), List.of()));
                LoopbackDns honest = LoopbackDns.answering(query -> answer(query, 100))) {
            assertThat(impatient(silent.address(), honest.address())
                            .lookup(NAME, RecordType.A)
                            .answers())
                    .hasSize(1);
            assertThat(lookup(broken.address(), honest.address())
                            .lookup(NAME, RecordType.A)
                            .answers())
                    .hasSize(1);
            assertThat(lookup(closedPort(), honest.address())
                            .lookup(NAME, RecordType.A)
                            .answers())
                    .hasSize(1);
        }
    }

    @Test
    void failsWhenNobodyAnswersAndDoesNotRememberThat() throws Exception {
        try (LoopbackDns silent = LoopbackDns.silent()) {
            HostLookup lookup = impatient(silent.address());

            assertThat(lookup.lookup(NAME, RecordType.A).isFailure()).isTrue();
            assertThat(silent.asked(UpstreamClient.ROUNDS)).hasSize(UpstreamClient.ROUNDS);
            assertThat(lookup.lookup(NAME, RecordType.A).isFailure()).isTrue();

            assertThat(silent.asked(2 * UpstreamClient.ROUNDS)).hasSize(2 * UpstreamClient.ROUNDS);
            assertThat(lookup.lookups().failures()).isEqualTo(2);
        }
    }

    @Test
    void speaksPlainlyToResolversThatDoNotKnowEdns() throws IOException {
        try (LoopbackDns server = LoopbackDns.answering(
                query -> query[11] == 1 ? Messages.response(query, 1, List.of(), List.of()) : answer(query, 100))) {
            assertThat(lookup(server.address()).lookup(NAME, RecordType.A).answers())
                    .hasSize(1);
        }
    }

    @Test
    void resolvesAddressesOfBothKindsLiteralsAndTheHostsFile() throws IOException {
        try (LoopbackDns server = LoopbackDns.answering(query -> Messages.typeOf(query) == Messages.A
                ? answer(query, 100)
                : Messages.response(
                        query,
                        Messages.record(
                                Messages.nameOf(query),
                                Messages.AAAA,
                                100,
                                InetAddress.ofLiteral("2606:2800:21f::1").getAddress())))) {
            HostNamesFile hosts = HostNamesFile.parse("""
                            127.0.0.1 localhost
                            192.168.1.5 printer  Printer.lan # office
                            10.0.0.9 host.docker.internal
                            """).withThisHost();
            HostLookup lookup = lookup(hosts, List.of(server.address()));

            assertThat(lookup.resolve("www.example.com").join())
                    .isEqualTo(new Resolution.Addresses(List.of(
                            InetAddress.ofLiteral("93.184.215.14"), InetAddress.ofLiteral("2606:2800:21f::1"))));
            assertThat(lookup.resolve("192.0.2.7").join())
                    .isEqualTo(new Resolution.Addresses(List.of(InetAddress.ofLiteral("192.0.2.7"))));
            assertThat(lookup.resolve("printer.lan").join())
                    .isEqualTo(new Resolution.Addresses(List.of(InetAddress.ofLiteral("192.168.1.5"))));
            assertThat(lookup.resolve("host.capsem.internal").join())
                    .isEqualTo(new Resolution.Addresses(List.of(InetAddress.ofLiteral("127.0.0.1"))));
            assertThat(lookup.resolve("host.docker.internal").join())
                    .as("what its owner wrote")
                    .isEqualTo(new Resolution.Addresses(List.of(InetAddress.ofLiteral("10.0.0.9"))));
            assertThat(lookup.resolve("not a host").join()).isInstanceOf(Resolution.Failed.class);
            assertThat(server.asked()).hasSize(2);
        }
    }

    @Test
    void saysWhyANameHasNoAddress() throws IOException {
        try (LoopbackDns server = LoopbackDns.answering(query -> Messages.response(query, 3, List.of(), List.of()));
                LoopbackDns silent = LoopbackDns.silent()) {
            assertThat(lookup(server.address()).resolve("www.example.com").join())
                    .isEqualTo(new Resolution.Failed("no such name"));
            assertThat(impatient(silent.address()).resolve("www.example.com").join())
                    .isEqualTo(new Resolution.Failed("no resolver of the host answered"));
        }
    }

    @Test
    void readsWhereResolversAre() {
        assertThat(ResolverAddresses.ofResolvConf(
                        "# x\nnameserver 192.0.2.1\nsearch a\n nameserver ::1\nnameserver x\n"))
                .extracting(InetSocketAddress::getAddress)
                .containsExactly(InetAddress.ofLiteral("192.0.2.1"), InetAddress.ofLiteral("::1"));
        assertThat(ResolverAddresses.ofResolvConf("")).hasSize(1);
        assertThat(ResolverAddresses.parse("192.0.2.1:5353"))
                .contains(new InetSocketAddress(InetAddress.ofLiteral("192.0.2.1"), 5_353));
        assertThat(ResolverAddresses.parse("[2001:db8::1]"))
                .contains(new InetSocketAddress(InetAddress.ofLiteral("2001:db8::1"), 53));
        assertThat(ResolverAddresses.parse("dns.example:53")).isEmpty();
        assertThat(ResolverAddresses.parse("192.0.2.1:0")).isEmpty();
    }

    private HostLookup lookup(InetSocketAddress... servers) {
        return lookup(HostNamesFile.EMPTY, List.of(servers));
    }

    private HostLookup impatient(InetSocketAddress... servers) {
        return lookup(HostNamesFile.EMPTY, List.of(servers), IMPATIENCE, nanos::get);
    }

    /// A name is told to resolvers only after somebody approved it; these need none.
    @Test
    void knowsLiteralsAndTheHostsFileWithoutAskingAnybody() {
        HostLookup lookup = lookup(HostNamesFile.parse("::1 both\n10.0.0.9 both\n192.168.1.5 printer\n"), List.of());

        assertThat(lookup.known("printer")).contains(InetAddress.ofLiteral("192.168.1.5"));
        assertThat(lookup.known("both")).contains(InetAddress.ofLiteral("10.0.0.9"));
        assertThat(lookup.known("10.1.2.3")).contains(InetAddress.ofLiteral("10.1.2.3"));
        assertThat(lookup.known("www.example.com")).isEmpty();
    }

    private HostLookup lookup(HostNamesFile hosts, List<InetSocketAddress> servers) {
        return lookup(hosts, servers, LoopbackDns.PATIENCE, nanos::get);
    }

    private HostLookup lookup(
            HostNamesFile hosts, List<InetSocketAddress> servers, Duration patience, LongSupplier nanoTime) {
        return new HostLookup(
                new SocketDnsTransport(),
                () -> servers,
                () -> hosts,
                threads,
                RandomGenerator.getDefault(),
                nanoTime,
                patience,
                LoopbackDns.PATIENCE);
    }

    private static InetSocketAddress closedPort() throws IOException {
        try (LoopbackDns gone = LoopbackDns.silent()) {
            return gone.address();
        }
    }

    private static byte[] answer(byte[] query, long ttl) {
        return Messages.response(query, Messages.a(Messages.nameOf(query), ttl, "93.184.215.14"));
    }

    private static byte[] answer(byte[] query, String address) {
        return Messages.response(query, Messages.a(Messages.nameOf(query), 100, address));
    }

    private static String otherCase(String name) {
        return name.chars()
                .map(c -> Character.isLowerCase(c) ? Character.toUpperCase(c) : Character.toLowerCase(c))
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    private static byte[] withId(byte[] message, int id) {
        byte[] changed = message.clone();
        System.arraycopy(Messages.u16(id), 0, changed, 0, 2);
        return changed;
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
