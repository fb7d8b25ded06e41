package dev.capsem.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.row.Attribution;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Decision;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent.DnsRequest;
import dev.capsem.events.vocabulary.Correlation;
import dev.capsem.events.vocabulary.EventId;
import dev.capsem.security.condition.Counts;
import dev.capsem.security.condition.Frame;
import dev.capsem.security.condition.Meter;
import dev.capsem.source.Layer;
import dev.capsem.source.SourceText;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class TimeAndRateRulesTest {
    /// A Monday.
    private static final Instant START = Instant.parse("2026-03-02T07:30:00Z");

    private int events;

    @Test
    void readsTheEventsOwnTimeInTheZoneOfTheRule() {
        DnsRequest monday = at(START, "x.y");

        assertThat(decision("now.hour == 7 && now.minute == 30 && now.weekday == \"monday\"", "", monday))
                .isEqualTo(Decision.BLOCK);
        assertThat(decision("now.hour == 8 && now.date == \"2026-03-02\"", "zone = \"Europe/Berlin\"", monday))
                .isEqualTo(Decision.BLOCK);
        assertThat(decision("now.weekday == \"sunday\" && now.hour == 21", "zone = \"Pacific/Honolulu\"", monday))
                .isEqualTo(Decision.BLOCK);
        assertThat(decision("now.hour < 7", "", monday)).isEqualTo(Decision.ALLOW);
    }

    @Test
    void refusesATimeZoneThatDoesNotExist() {
        assertThat(problems(Events.only("dns", "dns.request", "now.hour == 1", "block", "zone = \"Mars/Olympus\"")))
                .singleElement()
                .asString()
                .contains("no such time zone");
    }

    @Test
    void limitsHowOftenWithinTheWindow() {
        SecurityEngine engine = limited(3, "1m");

        assertThat(decisions(engine, "a.b", 0, 10, 20, 30, 59)).isEqualTo("allow allow allow block block");
        assertThat(decisions(engine, "other.b", 59)).isEqualTo("allow");
        // Those of 0 and 10 have left the window by then; those that were blocked count as well.
        assertThat(decisions(engine, "a.b", 75, 120)).isEqualTo("block allow");
    }

    @Test
    void countsAnEventOnceHoweverOftenItIsJudged() {
        SecurityEngine engine = limited(2, "1m");
        DnsRequest once = at(START, "a.b");

        for (int i = 0; i < 10; i++) {
            assertThat(engine.evaluate(once).decision()).isEqualTo(Decision.ALLOW);
            assertThat(engine.needsBody(once)).isFalse();
        }
        assertThat(decisions(engine, "a.b", 1)).isEqualTo("allow");
        assertThat(decisions(engine, "a.b", 2)).isEqualTo("block");
    }

    @Test
    void keepsCountsThroughAReload() {
        RuleSnapshot snapshot = limited(2, "1m").snapshot().orElseThrow();
        SecurityEngine engine = new SecurityEngine(snapshot);

        assertThat(decisions(engine, "a.b", 0, 1)).isEqualTo("allow allow");
        engine.replace(limited(2, "1m").snapshot().orElseThrow());
        assertThat(decisions(engine, "a.b", 2)).isEqualTo("block");
    }

    @Test
    void countsExactlyAsANaiveCountDoes() {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        Meter meter = meter("dns.request.qname", "30s");
        Rates rates = new Rates();
        List<DnsRequest> seen = new ArrayList<>();
        long now = 0;
        for (int i = 0; i < 2_000; i++) {
            now += random.nextInt(1_500);
            DnsRequest event = at(START.plusMillis(now - random.nextInt(3_000)), "h" + random.nextInt(5) + ".b");
            seen.add(event);
            Instant from = event.envelope().at().minusSeconds(30);
            long naive = seen.stream()
                    .filter(one -> one.qname().equals(event.qname()))
                    .map(one -> one.envelope().at())
                    .filter(time ->
                            time.isAfter(from) && !time.isAfter(event.envelope().at()))
                    .count();

            Counts counts = rates.count(List.of(meter), new Frame(event));

            assertThat(counts.byMeter().get(meter))
                    .as("seed %d, event %d", seed, i)
                    .isEqualTo(naive);
        }
    }

    @Test
    void blocksWhereThereIsNoRoomToCount() {
        Meter meter = meter("dns.request.qname", "1m");
        Rates rates = new Rates(3, 100);
        for (int i = 0; i < 3; i++) {
            assertThat(rates.count(List.of(meter), new Frame(at(START, "h" + i + ".b")))
                            .isFull())
                    .isFalse();
        }

        assertThat(rates.count(List.of(meter), new Frame(at(START, "more.b"))).isFull())
                .isTrue();
        assertThat(rates.count(List.of(meter), new Frame(at(START.plusSeconds(200), "later.b")))
                        .isFull())
                .isFalse();
        Evaluation evaluation = limited(3, "1m").evaluate(at(START, "x".repeat(2_000)));
        assertThat(evaluation.outcome()).isEqualTo(new Evaluation.Blocked(BlockCause.RULE_FAILED));
    }

    @Test
    void refusesWindowsThatAreNone() {
        for (String window : List.of("\"1d\"", "\"\"", "\"0s\"", "\"25h\"", "dns.request.qname")) {
            assertThat(problems(Events.only(
                            "dns", "dns.request", "rate(dns.request.qname, " + window + ") > 1", "block", "")))
                    .as(window)
                    .singleElement()
                    .asString()
                    .contains("window of rate()");
        }
    }

    @Test
    void readsListsFromFiles() {
        String toml = Events.only("dns", "dns.request", "dns.request.qname in list(\"hosts.txt\")", "block", "");
        SourceText source =
                new SourceText("t.toml", Layer.USER, toml, Map.of("hosts.txt", List.of("bad.b", "worse.b")));
        RuleSnapshot snapshot = ((RuleCompiler.Result.Compiled) Events.COMPILER.compile(List.of(source))).snapshot();
        SecurityEngine engine = new SecurityEngine(snapshot);

        assertThat(engine.evaluate(at(START, "worse.b")).decision()).isEqualTo(Decision.BLOCK);
        assertThat(engine.evaluate(at(START, "good.b")).decision()).isEqualTo(Decision.ALLOW);
        assertThat(problems(toml)).singleElement().asString().contains("there is no list hosts.txt");
    }

    private static SecurityEngine limited(int most, String window) {
        return Events.engine(Events.only(
                "dns", "dns.request", "rate(dns.request.qname, \"" + window + "\") > " + most, "block", ""));
    }

    private static Meter meter(String key, String window) {
        return Events.snapshot(
                        Events.only("dns", "dns.request", "rate(" + key + ", \"" + window + "\") > 1", "block", ""))
                .meters()
                .getFirst();
    }

    private String decisions(SecurityEngine engine, String name, int... seconds) {
        List<String> decisions = new ArrayList<>();
        for (int second : seconds) {
            decisions.add(engine.evaluate(at(START.plusSeconds(second), name))
                    .decision()
                    .wireName());
        }
        return String.join(" ", decisions);
    }

    private static Decision decision(String condition, String more, DnsRequest event) {
        return Events.engine(Events.only("dns", "dns.request", condition, "block", more))
                .evaluate(event)
                .decision();
    }

    private static List<String> problems(String toml) {
        return switch (Events.COMPILER.compile(List.of(new SourceText("t.toml", Layer.USER, toml)))) {
            case RuleCompiler.Result.Compiled _ -> List.of();
            case RuleCompiler.Result.Rejected rejected ->
                rejected.problems().stream().map(Object::toString).toList();
        };
    }

    private DnsRequest at(Instant time, String name) {
        events++;
        return new DnsRequest(
                Envelope.inline(new EventId("ev-" + events), time, Attribution.UNKNOWN, Correlation.NONE),
                name,
                "A",
                "udp");
    }
}
