package dev.capsem.network.dns;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.row.DnsRow;
import dev.capsem.events.row.Finding;
import dev.capsem.events.row.Outcome;
import dev.capsem.events.row.PolicyOutcome;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityGate;
import dev.capsem.events.vocabulary.FinalAction;
import dev.capsem.exchange.dns.ResponseCode;
import dev.capsem.exchange.leak.LeakGate;
import dev.capsem.network.Brokerage;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("sockets")
final class DnsEngineTest {
    private static final String PUBLIC = "93.184.215.14";

    @Test
    void anAllowedNameIsResolvedRememberedAndRecorded() throws IOException {
        try (Harness harness = new Harness(_ -> Harness.allow(), Harness.knowing(PUBLIC))) {
            byte[] reply = harness.ask("WWW.Example.com", Messages.A);

            assertThat(address(reply)).isEqualTo(InetAddress.ofLiteral(PUBLIC));
            assertThat(Messages.questionOf(reply)).isEqualTo(Messages.question("WWW.Example.com", Messages.A));
            assertThat(Messages.id(reply)).isEqualTo(77);
            assertThat(harness.ledger.gave("www.example.com", InetAddress.ofLiteral(PUBLIC)))
                    .isTrue();
            assertThat(harness.noted).isEmpty();
            DnsRow row = harness.row();
            assertThat(row.upstream()).isPositive();
            assertThat(row)
                    .isEqualTo(new DnsRow(
                            Harness.AT,
                            "www.example.com",
                            1,
                            1,
                            0,
                            Outcome.ALLOWED,
                            Optional.of("security.rules.dns.tested"),
                            Optional.of("udp"),
                            Optional.of("curl"),
                            row.upstream(),
                            Optional.empty(),
                            new PolicyOutcome(
                                    Optional.of("enforce"),
                                    Optional.of("allow"),
                                    Optional.of("security.rules.dns.tested"),
                                    Optional.of("as tested"))));
        }
    }

    @Test
    void aBlockedNameDoesNotExistAndNothingLeaves() throws IOException {
        try (Harness harness = new Harness(_ -> Harness.block(), Harness.knowing(PUBLIC))) {
            byte[] reply = harness.engine
                    .answer(
                            Messages.queryWithEdns(5, "evil.example", Messages.A, 1_232),
                            new QueryOrigin(Optional.empty(), QueryOrigin.TCP))
                    .orElseThrow();

            assertThat(Messages.code(reply)).isEqualTo(ResponseCode.NAME_ERROR);
            assertThat(new String(reply, StandardCharsets.UTF_8))
                    .contains("blocked by security.rules.dns.tested: as tested");
            assertThat(harness.resolver.asked()).isEmpty();
            assertThat(harness.recorded().getFirst().event().judgement().finalAction())
                    .isEqualTo(FinalAction.BLOCK);
            assertThat(harness.row().decision()).isEqualTo(Outcome.DENIED);
            assertThat(harness.row().sourceProtocol()).contains("tcp");
        }
    }

    @Test
    void aNameWithAStandInIsRefusedAndNothingLeaves() throws IOException {
        LeakGate[] gate = new LeakGate[1];
        try (Harness harness = new Harness(question -> gate[0].evaluate(question), Harness.knowing(PUBLIC))) {
            gate[0] = new LeakGate(new AllowAll(), () -> Brokerage.grants("basic"));

            byte[] reply = harness.ask(Brokerage.STAND_IN + ".evil.example", Messages.A);

            assertThat(Messages.code(reply)).isEqualTo(ResponseCode.REFUSED);
            assertThat(harness.resolver.asked()).isEmpty();
            assertThat(harness.row().decision()).isEqualTo(Outcome.DENIED);
            assertThat(harness.recorded().getFirst().event().findings())
                    .extracting(Finding::ruleId)
                    .contains("capsem.placeholder_leak");
            assertThat(Messages.code(harness.ask("good.example", Messages.A))).isZero();
        }
    }

    private static final class AllowAll implements SecurityGate {
        @Override
        public Evaluation evaluate(SecurityEvent event) {
            return Harness.allow();
        }

        @Override
        public boolean needsBody(SecurityEvent event) {
            return false;
        }
    }

    @Test
    void aNameThatOnlyTheProxyKnowsGetsAnAddressThatStandsForIt() throws IOException {
        try (Harness harness = new Harness(
                _ -> Harness.allow(),
                query -> Messages.response(query, ResponseCode.NAME_ERROR, List.of(), List.of()))) {
            assertThat(Messages.code(harness.ask("far.example.com", Messages.A)))
                    .isEqualTo(ResponseCode.NAME_ERROR);

            harness.isProxied = true;

            InetAddress standIn = address(harness.ask("far.example.com", Messages.A));
            assertThat(harness.ledger.nameOf(standIn)).contains("far.example.com");
        }
    }

    @Test
    void anEngineThatFailedClosedRefuses() throws IOException {
        try (Harness harness = new Harness(
                _ -> Evaluation.blocked(BlockCause.NO_RULES, "no valid rules are loaded"), Harness.knowing(PUBLIC))) {
            assertThat(Messages.code(harness.ask("example.com", Messages.A))).isEqualTo(ResponseCode.REFUSED);
            assertThat(harness.resolver.asked()).isEmpty();
        }
    }

    @Test
    void anAskedNameGetsAnAddressThatStandsForItWithoutAnyQuery() throws IOException {
        try (Harness harness = new Harness(_ -> Harness.ask(), Harness.knowing(PUBLIC))) {
            InetAddress address = address(harness.ask("unknown.example", Messages.A));

            assertThat(harness.ledger.nameOf(address)).contains("unknown.example");
            assertThat(harness.ledger.gave("unknown.example", address)).isTrue();
            assertThat(harness.resolver.asked()).isEmpty();
            assertThat(harness.row().decision()).isEqualTo(Outcome.REDIRECTED);
            assertThat(harness.row().policy().action()).contains("ask");
            assertThat(harness.recorded()).hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {Messages.AAAA, Messages.TXT, Messages.HTTPS})
    void anAskedNameHasNothingButThatAddress(int type) throws IOException {
        try (Harness harness = new Harness(_ -> Harness.ask(), Harness.knowing(PUBLIC))) {
            byte[] reply = harness.ask("unknown.example", type);

            assertThat(Messages.code(reply)).isZero();
            assertThat(Messages.answers(reply)).isZero();
            assertThat(harness.resolver.asked()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "10.1.2.3", "169.254.169.254", "192.168.0.1", "0.0.0.0", "198.18.0.9"})
    void anAddressInsideTheHostsNetworksNeverReachesTheGuest(String inside) throws IOException {
        try (Harness harness = new Harness(_ -> Harness.allow(), Harness.knowing(inside))) {
            InetAddress address = address(harness.ask("rebound.example", Messages.A));

            assertThat(address).isNotEqualTo(InetAddress.ofLiteral(inside));
            assertThat(harness.ledger.nameOf(address)).contains("rebound.example");
            assertThat(harness.row().decision()).isEqualTo(Outcome.REDIRECTED);
            assertThat(harness.recorded()).hasSize(1);
        }
    }

    @Test
    void onePrivateAddressAmongPublicOnesHidesThemAll() throws IOException {
        try (Harness harness = new Harness(
                _ -> Harness.allow(),
                query -> Messages.response(
                        query,
                        Messages.a(Messages.nameOf(query), 9, PUBLIC),
                        Messages.a(Messages.nameOf(query), 9, "10.0.0.1")))) {
            byte[] reply = harness.ask("mixed.example", Messages.A);

            assertThat(Messages.answers(reply)).isEqualTo(1);
            assertThat(harness.ledger.nameOf(address(reply))).contains("mixed.example");
        }
    }

    @Test
    void aNameWithIpv6AddressesOnlyGetsAnAddressThatStandsForIt() throws IOException {
        try (Harness harness = new Harness(_ -> Harness.allow(), Harness.knowing("2606:2800:21f::1"))) {
            assertThat(harness.ledger.nameOf(address(harness.ask("six.example", Messages.A))))
                    .contains("six.example");
        }
    }

    @Test
    void soDoesOneWhoseServerDeniesItForWantOfAnotherAddress() throws IOException {
        Function<byte[], byte[]> six = Harness.knowing("2606:2800:21f::1");
        try (Harness harness = new Harness(
                _ -> Harness.allow(),
                query -> Messages.typeOf(query) == Messages.A
                        ? Messages.response(query, ResponseCode.NAME_ERROR, List.of(), List.of())
                        : six.apply(query))) {
            assertThat(harness.ledger.nameOf(address(harness.ask("six.example", Messages.A))))
                    .contains("six.example");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {28, 64, 65})
    void ipv6AndServiceBindingsAreAnsweredWithNothingAndWithoutAQuery(int type) throws IOException {
        try (Harness harness = new Harness(_ -> Harness.allow(), Harness.knowing(PUBLIC))) {
            byte[] reply = harness.ask("example.com", type);

            assertThat(Messages.code(reply)).isZero();
            assertThat(Messages.answers(reply)).isZero();
            assertThat(harness.resolver.asked()).isEmpty();
            assertThat(harness.row().decision()).isEqualTo(Outcome.ALLOWED);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {251, 252, 253, 254, 255, 41})
    void transfersAndQueriesForEverythingAreRefused(int type) throws IOException {
        try (Harness harness = new Harness(_ -> Harness.allow(), Harness.knowing(PUBLIC))) {
            assertThat(Messages.code(harness.ask("example.com", type))).isEqualTo(ResponseCode.REFUSED);
            assertThat(harness.resolver.asked()).isEmpty();
            assertThat(harness.recorded().getFirst().event().judgement().finalAction())
                    .isEqualTo(FinalAction.BLOCK);
        }
    }

    @Test
    void browsersLearnThatTheyMustNotUseAResolverOfTheirOwn() throws IOException {
        try (Harness harness = new Harness(_ -> Harness.allow(), Harness.knowing(PUBLIC))) {
            assertThat(Messages.code(harness.ask("use-application-dns.net", Messages.A)))
                    .isEqualTo(ResponseCode.NAME_ERROR);
            assertThat(harness.resolver.asked()).isEmpty();
        }
    }

    @Test
    void otherClassesAndOperationsAreRefused() throws IOException {
        try (Harness harness = new Harness(_ -> Harness.allow(), Harness.knowing(PUBLIC))) {
            byte[] chaos = Messages.query(1, "version.bind", Messages.TXT);
            chaos[chaos.length - 1] = 3;
            byte[] update = Messages.withFlags(Messages.query(1, "example.com", 6), 5 << 11);

            assertThat(Messages.code(answer(harness, chaos))).isEqualTo(ResponseCode.REFUSED);
            assertThat(Messages.code(answer(harness, update))).isEqualTo(ResponseCode.NOT_IMPLEMENTED);
            assertThat(harness.resolver.asked()).isEmpty();
        }
    }

    @Test
    void everyQuestionOfAPacketIsJudgedAndOneBlockedRefusesAll() throws IOException {
        try (Harness harness = new Harness(
                event -> event.qname().startsWith("evil") ? Harness.block() : Harness.allow(),
                Harness.knowing(PUBLIC))) {
            byte[] both = Messages.bytes(
                    Messages.header(9, 0x0100, 2, 0, 0, 0),
                    Messages.question("good.example", Messages.A),
                    Messages.question("evil.example", Messages.A));

            byte[] reply = answer(harness, both);

            assertThat(Messages.code(reply)).isEqualTo(ResponseCode.REFUSED);
            assertThat(harness.resolver.asked()).isEmpty();
            assertThat(harness.rows()).extracting(DnsRow::name).containsExactly("good.example", "evil.example");
            assertThat(harness.rows()).extracting(DnsRow::decision).containsOnly(Outcome.DENIED);
        }
    }

    @Test
    void severalQuestionsAreAFormatErrorEvenIfAllAreAllowed() throws IOException {
        try (Harness harness = new Harness(_ -> Harness.allow(), Harness.knowing(PUBLIC))) {
            byte[] both = Messages.bytes(
                    Messages.header(9, 0x0100, 2, 0, 0, 0),
                    Messages.question("a.example", Messages.A),
                    Messages.question("b.example", Messages.A));

            assertThat(Messages.code(answer(harness, both))).isEqualTo(ResponseCode.FORMAT_ERROR);
            assertThat(harness.resolver.asked()).isEmpty();
        }
    }

    @Test
    void unreadableBytesAreAFormatErrorAndRecorded() throws IOException {
        try (Harness harness = new Harness(_ -> Harness.allow(), Harness.knowing(PUBLIC))) {
            byte[] reply = answer(harness, Messages.header(9, 0x0100, 1, 0, 0, 0));

            assertThat(Messages.code(reply)).isEqualTo(ResponseCode.FORMAT_ERROR);
            assertThat(harness.row().name()).isEqualTo("INVALID_DNS_BYTES");
            assertThat(harness.row().decision()).isEqualTo(Outcome.ERROR);
        }
    }

    @Test
    void saysServerFailureWhenNoResolverAnswers() throws IOException {
        try (Harness harness =
                new Harness(_ -> Harness.allow(), query -> Messages.response(query, 5, List.of(), List.of()))) {
            assertThat(Messages.code(harness.ask("example.com", Messages.A))).isEqualTo(ResponseCode.SERVER_FAILURE);
            assertThat(harness.row().decision()).isEqualTo(Outcome.ERROR);
            assertThat(harness.engine.counts().upstreamFailures()).isEqualTo(1);
        }
    }

    @Test
    void aNameThatIsNotThereIsTold() throws IOException {
        try (Harness harness =
                new Harness(_ -> Harness.allow(), query -> Messages.response(query, 3, List.of(), List.of()))) {
            assertThat(Messages.code(harness.ask("nowhere.example", Messages.A)))
                    .isEqualTo(ResponseCode.NAME_ERROR);
            assertThat(harness.row().decision()).isEqualTo(Outcome.ALLOWED);
        }
    }

    @Test
    void aNameThatMayCarryDataIsAFindingAndNoBlock() throws IOException {
        try (Harness harness = new Harness(_ -> Harness.allow(), Harness.knowing(PUBLIC))) {
            harness.ask("mfrggzdfmztwq2lknnwg23tpobyxe43uovyxe5dvoz3xq6lqorug.t.example", Messages.A);

            assertThat(harness.recorded().getFirst().event().findings())
                    .extracting(Finding::ruleId)
                    .containsExactly("dns_long_name", "dns_noise");
            assertThat(harness.row().decision()).isEqualTo(Outcome.ALLOWED);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "www.example.com",
                "raw.githubusercontent.com",
                "generativelanguage.googleapis.com",
                "ec2-203-0-113-25.compute-1.amazonaws.com",
                "d111111abcdef8.cloudfront.net",
                "9f86d081884c7d659a2feaa0c55ad015.us-east-1.elb.amazonaws.com",
                "security.ubuntu.com"
            })
    void honestNamesAreNoFinding(String name) {
        assertThat(TunnelSigns.find(
                        new dev.capsem.events.vocabulary.EventId("ev-1"),
                        DnsName.ofHost(name).orElseThrow()))
                .isEmpty();
    }

    @Test
    void aBugCostsOneQuestionItsAnswerAndIsOnRecord() throws IOException {
        try (Harness harness = new Harness(
                _ -> {
                    throw new IllegalStateException("a bug");
                },
                Harness.knowing(PUBLIC))) {
            assertThat(Messages.code(harness.ask("example.com", Messages.A))).isEqualTo(ResponseCode.SERVER_FAILURE);
            assertThat(harness.resolver.asked()).isEmpty();
            assertThat(harness.row().decision()).isEqualTo(Outcome.ERROR);
        }
    }

    @Test
    void servesSeveralQuestionsOfOneConnectionInTheirOrder() throws IOException {
        try (Harness harness = new Harness(_ -> Harness.allow(), Harness.knowing(PUBLIC))) {
            byte[] one = Messages.query(1, "one.example", Messages.A);
            byte[] two = Messages.query(2, "two.example", Messages.A);
            SplitChannel channel = new SplitChannel(
                    Messages.bytes(
                            "\0CAPSEM_META:dig\n\0CAPSEM_DST:10.0.2.3:53\n".getBytes(StandardCharsets.US_ASCII),
                            Messages.u16(one.length),
                            one,
                            Messages.u16(two.length),
                            two),
                    new Random(3));

            harness.engine.serve(channel);

            GuestStream replies = new GuestStream(new SplitChannel(channel.written(), new Random(4)));
            assertThat(Messages.id(replies.message().orElseThrow())).isEqualTo(1);
            assertThat(Messages.id(replies.message().orElseThrow())).isEqualTo(2);
            assertThat(harness.rows()).extracting(DnsRow::processName).containsOnly(Optional.of("dig"));
            assertThat(harness.rows()).extracting(DnsRow::sourceProtocol).containsOnly(Optional.of("tcp"));
        }
    }

    @Test
    void largeAnswersAreCutForDatagramsAndWholeOverTcp() throws IOException {
        try (Harness harness = new Harness(
                _ -> Harness.allow(),
                query -> Messages.response(
                        query,
                        Messages.record(Messages.nameOf(query), Messages.TXT, 60, text(255)),
                        Messages.record(Messages.nameOf(query), Messages.TXT, 60, text(254)),
                        Messages.record(Messages.nameOf(query), Messages.TXT, 60, text(253))))) {
            byte[] cut = harness.ask("txt.example", Messages.TXT);
            byte[] whole = harness.engine
                    .answer(
                            Messages.query(1, "txt.example", Messages.TXT),
                            new QueryOrigin(Optional.empty(), QueryOrigin.TCP))
                    .orElseThrow();

            assertThat(Messages.isTruncated(cut)).isTrue();
            assertThat(Messages.answers(whole)).isEqualTo(3);
        }
    }

    @Test
    void mutatedQueriesNeverThrowAndAreAllOnRecord() throws IOException {
        Random random = CodecTest.seeded();
        byte[] query = Messages.queryWithEdns(7, "www.example.com", Messages.A, 1_232);
        try (Harness harness = new Harness(_ -> Harness.block(), Harness.knowing(PUBLIC))) {
            int asked = 5_000;
            for (int round = 0; round < asked; round++) {
                harness.engine.answer(
                        CodecTest.mutated(query, random), new QueryOrigin(Optional.empty(), QueryOrigin.UDP));
            }

            assertThat(harness.recorded().size()).isGreaterThanOrEqualTo(asked);
            assertThat(harness.resolver.asked()).isEmpty();
        }
    }

    private static byte[] answer(Harness harness, byte[] query) {
        return harness.engine
                .answer(query, new QueryOrigin(Optional.of("curl"), QueryOrigin.UDP))
                .orElseThrow();
    }

    private static InetAddress address(byte[] reply) {
        assertThat(Messages.code(reply)).isZero();
        return UpstreamMessage.parse(reply)
                .orElseThrow()
                .answers()
                .getLast()
                .address()
                .orElseThrow();
    }

    private static byte[] text(int length) {
        byte[] text = new byte[length + 1];
        text[0] = (byte) length;
        return text;
    }

    @Test
    void asksNoResolverWhatCannotBeRecordedAndSaysWhy() throws IOException {
        try (Harness harness = new Harness(_ -> Harness.allow(), Harness.knowing("93.184.215.14"))) {
            harness.isFull = true;
            byte[] refused = harness.ask("exfil.example.test", Messages.A);

            assertThat(refused[3] & 0xf).isEqualTo(ResponseCode.SERVER_FAILURE);
            assertThat(harness.resolver.asked()).isEmpty();
            assertThat(harness.recorded()).isEmpty();

            harness.isFull = false;
            assertThat(harness.ask("after.example.test", Messages.A)[3] & 0xf).isEqualTo(ResponseCode.NO_ERROR);
            assertThat(harness.row().name()).isEqualTo("after.example.test");
            assertThat(harness.places).hasValue(0);
        }
    }
}
