package dev.capsem.network.dns;

import static dev.capsem.network.dns.Messages.bytes;
import static dev.capsem.network.dns.Messages.u16;
import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.exchange.dns.ResponseCode;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class CodecTest {
    @Test
    void readsAQuestionInLowerCaseAndKeepsItsLetters() {
        GuestQuery query = GuestQuery.parse(Messages.query(7, "WwW.Example.COM", Messages.A));

        assertThat(query).isInstanceOfSatisfying(GuestQuery.Understood.class, understood -> {
            assertThat(understood.question().name().text()).isEqualTo("www.example.com");
            assertThat(understood.questionBytes()).isEqualTo(Messages.question("WwW.Example.COM", Messages.A));
            assertThat(understood.edns()).isEmpty();
        });
    }

    @Test
    void showsDotsAndStrangeOctetsInLabelsEscaped() {
        byte[] name = {3, 'a', '.', 0x07, 1, '\\', 0};

        assertThat(DnsName.read(new WireReader(name)).text()).isEqualTo("a\\046\\007.\\092");
    }

    @Test
    void theRootIsADot() {
        assertThat(DnsName.read(new WireReader(new byte[] {0})).text()).isEqualTo(".");
    }

    @Test
    void readsEdns() {
        GuestQuery query = GuestQuery.parse(Messages.queryWithEdns(7, "example.com", Messages.A, 1_400));

        assertThat(((GuestQuery.Understood) query).edns()).contains(new GuestQuery.Edns(1_400, 0));
    }

    @Test
    void refusesNamesThatPointAtThemselvesForwardsOrInCircles() {
        byte[] head = Messages.header(7, 0x0100, 1, 0, 0, 0);
        byte[] end = bytes(u16(Messages.A), u16(1));

        assertThat(GuestQuery.parse(bytes(head, u16(0xc00c), end))).isInstanceOf(GuestQuery.Unreadable.class);
        assertThat(GuestQuery.parse(bytes(head, u16(0xc020), end))).isInstanceOf(GuestQuery.Unreadable.class);
        assertThat(GuestQuery.parse(bytes(head, new byte[] {1, 'a'}, u16(0xc00c), end)))
                .isInstanceOf(GuestQuery.Unreadable.class);
    }

    @Test
    void refusesALongChainOfPointers() {
        List<byte[]> parts = new ArrayList<>();
        parts.add(Messages.header(7, 0x8180, 1, 40, 0, 0));
        parts.add(Messages.question("a.example", Messages.A));
        int previous = 12;
        int at = bytes(parts.toArray(byte[][]::new)).length;
        for (int i = 0; i < 40; i++) {
            byte[] record = Messages.record(u16(0xc000 | previous), Messages.A, 1, new byte[4]);
            parts.add(record);
            previous = at;
            at += record.length;
        }

        assertThat(UpstreamMessage.parse(bytes(parts.toArray(byte[][]::new)))).isEmpty();
    }

    @Test
    void refusesNamesAndLabelsThatAreTooLong() {
        String label = "x".repeat(63);
        String fits = label + "." + label + "." + label + "." + "y".repeat(61);

        assertThat(GuestQuery.parse(Messages.query(1, fits, Messages.A))).isInstanceOf(GuestQuery.Understood.class);
        assertThat(GuestQuery.parse(Messages.query(1, fits + "z", Messages.A)))
                .isInstanceOf(GuestQuery.Unreadable.class);
        assertThat(GuestQuery.parse(Messages.query(1, "x".repeat(64) + ".example", Messages.A)))
                .isInstanceOf(GuestQuery.Unreadable.class);
    }

    @Test
    void aResponseOrAStumpHasNobodyToAnswer() {
        byte[] query = Messages.query(1, "example.com", Messages.A);

        assertThat(GuestQuery.parse(Messages.withFlags(query, 0x8000))).isInstanceOf(GuestQuery.Nothing.class);
        assertThat(GuestQuery.parse(new byte[11])).isInstanceOf(GuestQuery.Nothing.class);
        assertThat(GuestQuery.parse(new byte[0])).isInstanceOf(GuestQuery.Nothing.class);
    }

    @Test
    void readsCompressedRecordsAndWritesThemWhole() {
        byte[] question = Messages.question("www.example.com", Messages.A);
        byte[] response = bytes(
                Messages.header(9, 0x8180, 1, 2, 0, 0),
                question,
                Messages.record(
                        u16(0xc00c), Messages.CNAME, 300, bytes(new byte[] {4, 'e', 'd', 'g', 'e'}, u16(0xc010))),
                Messages.record(
                        u16(0xc000 | (12 + question.length + 12)),
                        Messages.A,
                        60,
                        InetAddress.ofLiteral("192.0.2.1").getAddress()));

        UpstreamMessage message = UpstreamMessage.parse(response).orElseThrow();

        assertThat(message.answers()).hasSize(2);
        assertThat(message.answers().getFirst().alias().orElseThrow().text()).isEqualTo("edge.example.com");
        assertThat(message.answers().getLast().owner().text()).isEqualTo("edge.example.com");
        assertThat(message.answers().getLast().address()).contains(InetAddress.ofLiteral("192.0.2.1"));
    }

    @Test
    void whatIsWrittenReadsBackTheSame() {
        Random random = seeded();
        for (int round = 0; round < 2_000; round++) {
            GuestQuery.Understood query =
                    (GuestQuery.Understood) GuestQuery.parse(Messages.query(round, host(random), Messages.A));
            List<ResourceRecord> records = records(random, query.question().name());

            byte[] encoded = new Reply(ResponseCode.NO_ERROR, records, Optional.empty()).encode(query, 65_535);

            assertThat(UpstreamMessage.parse(encoded).orElseThrow().answers()).isEqualTo(records);
        }
    }

    @Test
    void mutatedMessagesNeverThrow() {
        Random random = seeded();
        byte[] query = Messages.queryWithEdns(7, "www.example.com", Messages.A, 1_232);
        byte[] response = Messages.response(
                query,
                0,
                List.of(
                        Messages.record(u16(0xc00c), Messages.CNAME, 300, bytes(new byte[] {1, 'e'}, u16(0xc010))),
                        Messages.a("e.example.com", 5, "192.0.2.1"),
                        Messages.record("e.example.com", 15, 5, bytes(u16(10), u16(0xc00c))),
                        Messages.record("e.example.com", 33, 5, bytes(new byte[6], u16(0xc00c)))),
                List.of(Messages.soa("example.com", 100, 60)));
        for (int round = 0; round < 50_000; round++) {
            byte[] hurt = mutated(round % 2 == 0 ? query : response, random);

            GuestQuery parsed = GuestQuery.parse(hurt);
            UpstreamMessage.parse(hurt).ifPresent(message -> Lookup.of(message, java.time.Duration.ZERO));
            if (parsed instanceof GuestQuery.Understood understood) {
                Reply.code(ResponseCode.NAME_ERROR, 15, "no").encode(understood, 512);
            }
        }
    }

    @Test
    void cutsWhatDoesNotFitADatagramAndSaysSo() {
        GuestQuery.Understood query =
                (GuestQuery.Understood) GuestQuery.parse(Messages.query(3, "example.com", Messages.TXT));
        ResourceRecord large = new ResourceRecord(query.question().name(), Messages.TXT, 60, new byte[600]);

        byte[] cut = Reply.answer(List.of(large)).encode(query, 512);

        assertThat(Messages.isTruncated(cut)).isTrue();
        assertThat(Messages.answers(cut)).isZero();
        assertThat(Messages.isTruncated(Reply.answer(List.of(large)).encode(query, 65_535)))
                .isFalse();
    }

    @Test
    void saysWhyInAnExtendedErrorOnlyToThoseWhoSpeakEdns() {
        Reply reply = Reply.code(ResponseCode.NAME_ERROR, Reply.Reason.BLOCKED, "blocked by a rule" + "é".repeat(200));
        byte[] with = reply.encode(
                (GuestQuery.Understood) GuestQuery.parse(Messages.queryWithEdns(3, "a.example", 1, 1_232)), 512);
        byte[] without = reply.encode((GuestQuery.Understood) GuestQuery.parse(Messages.query(3, "a.example", 1)), 512);

        assertThat(new String(with, StandardCharsets.UTF_8)).contains("blocked by a rule");
        assertThat(with).containsSequence(bytes(u16(15), u16(2 + 199), u16(15)));
        assertThat(new String(without, StandardCharsets.UTF_8)).doesNotContain("blocked");
        assertThat(with.length).isLessThanOrEqualTo(512);
    }

    static byte[] mutated(byte[] bytes, Random random) {
        byte[] hurt = java.util.Arrays.copyOf(
                bytes, random.nextInt(10) == 0 ? random.nextInt(bytes.length + 20) : bytes.length);
        for (int i = random.nextInt(6); i > 0 && hurt.length > 0; i--) {
            hurt[random.nextInt(hurt.length)] = (byte) random.nextInt(256);
        }
        return hurt;
    }

    private static List<ResourceRecord> records(Random random, DnsName name) {
        List<ResourceRecord> records = new ArrayList<>();
        DnsName owner = name;
        for (int i = random.nextInt(4); i > 0; i--) {
            DnsName target = DnsName.ofHost(host(random)).orElseThrow();
            records.add(new ResourceRecord(owner, Messages.CNAME, random.nextInt(1_000), target.wire()));
            owner = target;
        }
        for (int i = random.nextInt(4); i > 0; i--) {
            byte[] data = new byte[random.nextInt(300)];
            random.nextBytes(data);
            records.add(new ResourceRecord(owner, Messages.TXT, random.nextInt(1_000), data));
        }
        return records;
    }

    private static String host(Random random) {
        StringBuilder name = new StringBuilder("h");
        for (int i = 0; i < 1 + random.nextInt(30); i++) {
            name.append((char) ('a' + random.nextInt(26)));
            if (random.nextInt(6) == 0) {
                name.append(".z");
            }
        }
        return name + ".example";
    }

    static Random seeded() {
        long seed = Long.getLong("capsem.seed", System.nanoTime());
        System.out.println("seed " + seed + " (repeat with -Dcapsem.seed)");
        return new Random(seed);
    }
}
