package dev.capsem.exchange.http;

import dev.capsem.broker.Grants;
import dev.capsem.events.Admission;
import dev.capsem.events.row.Attribution;
import dev.capsem.events.row.Caller;
import dev.capsem.events.security.Answer;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.traffic.ExchangeObserver;
import dev.capsem.events.vocabulary.AttributionScope;
import dev.capsem.events.vocabulary.Correlation;
import dev.capsem.events.vocabulary.EventId;
import dev.capsem.events.vocabulary.OriginKind;
import dev.capsem.exchange.TranscriptFile;
import java.net.InetAddress;
import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// An HTTP exchange in a world that a transcript describes.
final class HttpPlay implements TranscriptFile.Play {
    private final ScriptedRules rules = new ScriptedRules();
    private final RecordingActions actions = new RecordingActions();
    private final List<TextChunk> chunks = new ArrayList<>();
    private final Map<String, String> world = new TreeMap<>();
    private Grants grants = Grants.NONE;
    private int events;
    private @Nullable HttpExchange exchange;

    /// Pieces of bodies that were neither sent on nor released.
    List<TextChunk> leaked() {
        return chunks.stream().filter(TextChunk::isHeld).toList();
    }

    @Override
    public void given(TranscriptFile.Words words) {
        set(String.join(" ", words.all()));
    }

    @Override
    public List<String> on(TranscriptFile.Words words) {
        exchange().on(input(String.join(" ", words.all())));
        return actions.taken();
    }

    private void set(String line) {
        String[] words = line.split(" ", 3);
        switch (words[0]) {
            case "on" -> rules.decide(words[1], words[2]);
            case "reads" -> rules.read(words[1]);
            case "needs-address" -> rules.needAddress();
            case "room" -> actions.room(RecordingActions.RoomState.valueOf(words[1].toUpperCase(Locale.ROOT)));
            case "guest-full" -> actions.guestWritable(false);
            case "upstream-full" -> actions.upstreamWritable(false);
            default -> world.put(words[0], words.length > 1 ? words[1] : "");
        }
    }

    private HttpExchange exchange() {
        if (exchange == null) {
            ExchangeObserver observer =
                    _ -> world.containsKey("model-call") ? Optional.of(new TextTap()) : Optional.empty();
            exchange = new HttpExchange(
                    new HttpDependencies(
                            rules,
                            this::envelope,
                            observer,
                            _ -> new TextReader(world.containsKey("undecodable")),
                            _ -> address("known"),
                            _ -> address("stand-in"),
                            new PlainRedactor(),
                            () -> grants,
                            budget(),
                            60),
                    new GuestFacts(
                            world.containsKey("http2"), !world.containsKey("plain"), Caller.UNKNOWN, "https-mitm"),
                    Instant.EPOCH,
                    actions);
        }
        return exchange;
    }

    private ScriptedBudget budget() {
        return new ScriptedBudget(world.containsKey("budget"), world.containsKey("priceless"), actions::told);
    }

    private Optional<InetAddress> address(String name) {
        return Optional.ofNullable(world.get(name)).map(InetAddress::ofLiteral);
    }

    private Envelope envelope(Correlation correlation) {
        Attribution attribution = new Attribution(
                AttributionScope.SESSION,
                OriginKind.GUEST_NETWORK,
                Optional.empty(),
                Optional.of("vm-1"),
                Optional.of("s-1"),
                Optional.of("coding"),
                Optional.empty(),
                Optional.empty());
        return Envelope.inline(new EventId("ev-" + ++events), Instant.EPOCH, attribution, correlation);
    }

    private Input input(String line) {
        List<String> words = List.of(line.split(" "));
        String rest = words.size() > 2 ? line.split(" ", 3)[2] : "";
        return switch (words.get(0) + (words.size() > 1 ? " " + words.get(1) : "")) {
            case "request bytes" -> new Input.RequestBytes(chunk(rest, false));
            case "request end" -> new Input.RequestBytes(chunk(rest, true));
            case "request broken" -> new Input.RequestBroken(400, rest);
            case "request refused" ->
                new Input.RequestRefused(
                        event("GET", "https://example.com/", words, false),
                        Refusal.of(421, rest, "the request is for another host than its connection", "open another"),
                        true);
            case "guest read" -> new Input.GuestRead();
            case "guest writable" -> {
                actions.guestWritable(true);
                yield new Input.GuestWritable();
            }
            case "guest half-closes" -> new Input.GuestInputOver();
            case "guest gone" -> new Input.GuestGone();
            case "not admitted" -> new Input.NotAdmitted(new Admission.Refused("the disk is full", "make room"));
            case "not answered" -> new Input.NotAnswered();
            case "not located" -> new Input.NotLocated("no such name", words.contains("proxy"));
            case "not connected" ->
                new Input.NotConnected(
                        Refusal.of(502, "upstream_unreachable", "no connection to the upstream", "try again"),
                        words.contains("unreachable"));
            case "response unfit" -> new Input.ResponseUnfit();
            case "response bytes" -> new Input.ResponseBytes(chunk(rest, false));
            case "response end" -> new Input.ResponseBytes(chunk(rest, true));
            case "upstream read" -> new Input.UpstreamRead();
            case "upstream writable" -> {
                actions.upstreamWritable(true);
                yield new Input.UpstreamWritable();
            }
            case "upstream gone" -> new Input.UpstreamGone("the upstream closed the connection");
            case "room given" -> {
                actions.room(RecordingActions.RoomState.FREE);
                yield new Input.RoomGiven(rest.equals("request"));
            }
            case "room refused" -> new Input.NoRoom(rest.equals("request"), "no room within 10 s");
            default -> byFirstWord(words);
        };
    }

    private Input byFirstWord(List<String> words) {
        return switch (words.get(0)) {
            case "request" -> request(words);
            case "admitted" -> new Input.Admitted();
            case "recorded" -> new Input.Recorded();
            case "reserved" -> new Input.Reserved(budget().granted());
            case "no-room" -> new Input.Reserved(ScriptedBudget.refused(words.contains("asks")));
            case "approved" -> new Input.Answered(new Answer.Approved(Answer.Scope.ONCE, "cli"));
            case "denied" -> new Input.Answered(new Answer.Refused(Answer.Cause.DENIED, "not today", "cli"));
            case "unanswered" ->
                new Input.Answered(
                        new Answer.Refused(Answer.Cause.TIMED_OUT, "nobody answered within 60 seconds", "capsem"));
            case "answered-instead" -> new Input.Answered(actions.instead());
            case "located" ->
                new Input.Located(words.stream()
                        .skip(1)
                        .<UpstreamTarget>map(word -> word.equals("name")
                                ? new UpstreamTarget.Named()
                                : new UpstreamTarget.At(InetAddress.ofLiteral(word)))
                        .toList());
            case "connected" ->
                new Input.Connected(words.contains("http2"), words.contains("reused"), words.contains("forwarder"));
            case "response" ->
                new Input.ResponseHead(
                        Integer.parseInt(words.get(1)),
                        headers(words),
                        words.contains("whole"),
                        headers(words)
                                .value("content-length")
                                .map(Long::valueOf)
                                .orElse(-1L),
                        !words.contains("close"));
            case "timer" -> new Input.TimerFired(Wait.valueOf(words.get(1)));
            default -> throw new IllegalArgumentException("no such input: " + words);
        };
    }

    private TextChunk chunk(String text, boolean isLast) {
        TextChunk chunk = new TextChunk(text, isLast);
        chunks.add(chunk);
        return chunk;
    }

    private Input request(List<String> words) {
        long length = headers(words).value("content-length").map(Long::valueOf).orElse(-1L);
        boolean hasBody = length > 0 || words.contains("chunked");
        return new Input.RequestHead(
                event(words.get(1), words.get(2), words, hasBody),
                hasBody,
                !hasBody,
                length,
                words.contains("expects-continue"),
                words.contains("upgrade"),
                words.contains("http10"),
                !words.contains("close"));
    }

    private SecurityEvent.HttpRequest event(String method, String url, List<String> words, boolean hasBody) {
        URI uri = URI.create(url);
        return new SecurityEvent.HttpRequest(
                envelope(Correlation.NONE),
                method,
                uri.getScheme(),
                uri.getHost(),
                443,
                uri.getPath(),
                Optional.ofNullable(uri.getQuery()),
                headers(words),
                hasBody ? new Body.Unread(Optional.empty()) : Body.NONE);
    }

    /// Words of the form `name=value`.
    private static Headers headers(List<String> words) {
        return Headers.of(words.stream()
                .filter(word -> word.indexOf('=') > 0 && !word.contains("://"))
                .flatMap(word -> Arrays.stream(word.split("=", 2)))
                .toArray(String[]::new));
    }
}
