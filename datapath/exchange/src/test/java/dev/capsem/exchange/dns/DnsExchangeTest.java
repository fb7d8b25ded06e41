package dev.capsem.exchange.dns;

import dev.capsem.events.Admission;
import dev.capsem.events.security.SecurityEvent.DnsRequest;
import dev.capsem.exchange.Judge;
import dev.capsem.exchange.ScriptedGate;
import dev.capsem.exchange.TranscriptFile;
import dev.capsem.exchange.TranscriptFile.Words;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class DnsExchangeTest {
    static Stream<Path> transcripts() {
        return TranscriptFile.in("dns");
    }

    @ParameterizedTest
    @MethodSource("transcripts")
    void isAsItsTranscriptSays(Path transcript) {
        TranscriptFile.perform(transcript, new DnsPlay());
    }

    private static final class DnsPlay implements TranscriptFile.Play {
        private final ScriptedGate gate = new ScriptedGate("dns", event -> event);
        private final DnsExchange exchange = new DnsExchange(new Judge(gate));
        private final List<DnsQuery.Question> questions = new ArrayList<>();
        private int operation;
        private int ednsVersion;
        private boolean isProxied;

        @Override
        public void given(Words words) {
            switch (words.first()) {
                case "rules" -> gate.says(words);
                case "operation" -> operation = Integer.parseInt(words.at(1));
                case "edns" -> ednsVersion = Integer.parseInt(words.at(1));
                case "proxy" -> isProxied = true;
                case "question" -> questions.add(question(words));
                default -> throw new IllegalArgumentException(words.first());
            }
        }

        private static DnsQuery.Question question(Words words) {
            int type = Integer.parseInt(words.at(2));
            return new DnsQuery.Question(
                    new DnsRequest(ScriptedGate.ENVELOPE, words.at(1), RecordType.mnemonic(type), "udp"),
                    words.at(1),
                    type,
                    words.has(3) ? Integer.parseInt(words.at(3)) : RecordType.CLASS_IN,
                    List.of());
        }

        @Override
        public List<String> on(Words words) {
            return exchange.on(input(words)).stream().map(DnsPlay::shown).toList();
        }

        private DnsInput input(Words words) {
            return switch (words.first()) {
                case "admitted" -> new DnsInput.Admitted(new DnsQuery(operation, ednsVersion, questions));
                case "not_admitted" -> new DnsInput.NotAdmitted(new Admission.Refused(words.at(1), words.at(2)));
                case "found" -> found(ResponseCode.NO_ERROR, words.from(1));
                case "found_nothing" -> found(ResponseCode.NO_ERROR, List.of());
                case "no_such_name" -> found(ResponseCode.NAME_ERROR, List.of());
                case "no_resolver_answered" -> found(ResponseCode.SERVER_FAILURE, List.of());
                default -> throw new IllegalArgumentException(words.first());
            };
        }

        private DnsInput found(int code, List<String> addresses) {
            return new DnsInput.LookedUp(
                    code,
                    !addresses.isEmpty(),
                    addresses.stream()
                            .filter(text -> !text.equals("record"))
                            .map(InetAddress::ofLiteral)
                            .toList(),
                    Duration.ofMillis(7),
                    isProxied);
        }

        private static String shown(DnsAction action) {
            return switch (action) {
                case DnsAction.LookUp(int type) -> "look up " + RecordType.mnemonic(type);
                case DnsAction.PutOnRecord record ->
                    "record " + record.question().name() + ": "
                            + record.outcome().name().toLowerCase(Locale.ROOT) + ", code "
                            + record.reply().responseCode() + ", "
                            + record.upstream().toMillis() + " ms, " + ScriptedGate.shown(record.evaluation());
                case DnsAction.Answer(DnsReply reply) -> "answer " + shown(reply);
            };
        }

        private static String shown(DnsReply reply) {
            return switch (reply) {
                case DnsReply.Refusal(int code, DnsReply.Reason reason, String text) ->
                    "code " + code + ", " + reason.name().toLowerCase(Locale.ROOT) + " " + TranscriptFile.quoted(text);
                case DnsReply.Nothing _ -> "nothing";
                case DnsReply.StandIn _ -> "with an address that stands for it";
                case DnsReply.Found(int code) -> "what was found, code " + code;
            };
        }
    }
}
