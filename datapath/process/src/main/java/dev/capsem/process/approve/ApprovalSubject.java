package dev.capsem.process.approve;

import dev.capsem.events.address.UrlReading;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.JsonDocument;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityEvent.DnsRequest;
import dev.capsem.events.security.SecurityEvent.FileActivity;
import dev.capsem.events.security.SecurityEvent.HostActivity;
import dev.capsem.events.security.SecurityEvent.HttpRequest;
import dev.capsem.events.security.SecurityEvent.HttpResponse;
import dev.capsem.events.security.SecurityEvent.McpRequest;
import dev.capsem.events.security.SecurityEvent.McpResponse;
import dev.capsem.events.security.SecurityEvent.ModelRequest;
import dev.capsem.events.security.SecurityEvent.ModelResponse;
import dev.capsem.events.security.SecurityEvent.ProcessExec;
import dev.capsem.network.record.Redaction;
import dev.capsem.wire.ipc.ProcessMessage.Detail;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/// The subject of a question.
///
/// @param key what an approval for the session covers: equal keys are the same question
/// @param line for people; no header, no query, no body
/// @param processName of the process behind it, where it is known
/// @param details what else an approval covers: printable, bounded, without secrets
/// @param session in words, what an approval for the session covers
record ApprovalSubject(
        List<String> key, String line, Optional<String> processName, List<Detail> details, String session) {
    private static final int LINE_CHARS_MAX = 300;

    /// Of a line that is longer, beginning and end: the longest name of a host is in the first, and what somebody wants
    /// to have overlooked stands behind much that is harmless.
    private static final int LINE_HEAD = 290;

    private static final int LINE_TAIL = 85;
    private static final int DETAIL_HEAD = 280;
    private static final int DETAIL_TAIL = 110;

    /// Of what the guest chose within a sentence: the rest of the sentence must be read as well.
    private static final int NAMED_CHARS_MAX = 120;

    /// What is looked through for secrets before it is cut to what is shown: a mask is shorter than its secret.
    private static final int MASKED_CHARS_MAX = 8 * 1024;

    private static final String UNTIL = ", until this sandbox ends";

    /// What a rule about hosts reads, beside who asks and when.
    private static final Set<String> HOST_FIELDS = Set.of(
            "http.request.host",
            "http.request.port",
            "http.request.scheme",
            "http.request.address",
            "http.request.address_class");

    private static final List<String> CIRCUMSTANCES = List.of("caller.", "now.", "common.");

    ApprovalSubject {
        key = List.copyOf(key);
        line = bothEnds(line, LINE_HEAD, LINE_TAIL);
        details = List.copyOf(details);
        session = shortened(session, LINE_CHARS_MAX);
    }

    private ApprovalSubject(List<String> key, String line, List<Detail> details, String session) {
        this(key, line, Optional.empty(), details, session + UNTIL);
    }

    /// The process is the one that the guest names, where the event itself knows no better; it is no part of the key.
    ///
    /// @param reads the fields that the rule reads which asks
    static ApprovalSubject of(SecurityEvent event, Set<String> reads) {
        ApprovalSubject about = about(event, reads);
        return about.processName.isPresent()
                ? about
                : new ApprovalSubject(
                        about.key, about.line, event.envelope().caller().name(), about.details, about.session);
    }

    /// All that a guest chose of it: of two questions with the same content a person would be asked the same twice.
    /// Empty where not all of it is known, and for commands, which the owner of the sandbox runs one by one.
    static Optional<List<?>> content(SecurityEvent event) {
        return switch (event) {
            case HttpRequest request ->
                request.body() instanceof Body.Text || request.body() instanceof Body.Absent
                        ? Optional.of(List.of(
                                request.method(),
                                request.scheme(),
                                request.host(),
                                request.port(),
                                request.path(),
                                request.query(),
                                request.headers(),
                                request.body(),
                                request.address()))
                        : Optional.empty();
            case McpRequest request ->
                Optional.of(List.of(
                        request.method(),
                        request.serverName(),
                        request.toolName(),
                        request.namespacedName(),
                        request.arguments(),
                        request.argumentsStatus(),
                        request.meta()));
            case HttpResponse _,
                    DnsRequest _,
                    McpResponse _,
                    ModelRequest _,
                    ModelResponse _,
                    ProcessExec _,
                    FileActivity _,
                    HostActivity _ -> Optional.empty();
        };
    }

    private static ApprovalSubject about(SecurityEvent event, Set<String> reads) {
        return switch (event) {
            case HttpRequest request -> http("http.request", request, "", request.body(), reads);
            case HttpResponse response ->
                http(
                        "http.response",
                        response.request(),
                        "answer " + response.status() + " to ",
                        response.body(),
                        reads);
            case DnsRequest request ->
                new ApprovalSubject(
                        List.of("dns", request.qname()),
                        request.qtype() + " " + request.qname(),
                        List.of(),
                        "every lookup of " + named(request.qname()));
            case McpRequest request -> mcp("mcp.request", request, "", reads);
            case McpResponse response -> mcp("mcp.response", response.request(), "result of ", reads);
            case ModelRequest request -> model("model.request", request, "");
            case ModelResponse response -> model("model.response", response.request(), "answer of ");
            case ProcessExec exec ->
                new ApprovalSubject(
                        List.of("process", exec.command(), String.join("\0", exec.argv())),
                        exec.command(),
                        Optional.of(exec.executable()),
                        List.of(),
                        "this command line, as often as it is run" + UNTIL);
            case FileActivity activity ->
                new ApprovalSubject(
                        List.of("file", activity.operation(), activity.path()),
                        activity.operation() + " " + activity.path(),
                        List.of(),
                        "every " + activity.operation() + " of " + named(activity.path()));
            case HostActivity activity ->
                new ApprovalSubject(
                        List.of("host", activity.type().wireName(), activity.operation()),
                        activity.type().wireName() + " " + activity.operation(),
                        List.of(),
                        "every " + activity.type().wireName() + " " + activity.operation());
        };
    }

    /// The path is part of the key unless the rule is about hosts alone. A name that leads inside is approved for the
    /// address that was shown and no other.
    private static ApprovalSubject http(String type, HttpRequest request, String what, Body body, Set<String> reads) {
        HttpRequest shown = request.withQuery(Optional.empty());
        boolean isAboutHosts = reads.stream().allMatch(ApprovalSubject::isOfHosts);
        List<String> key = new ArrayList<>(
                List.of(type, request.scheme(), request.host(), String.valueOf(request.port()), request.method()));
        if (!isAboutHosts) {
            key.add(request.normalizedPath());
            // One that servers read differently is approved in its very spelling.
            if (!UrlReading.others(request.path(), Optional.empty()).isEmpty()) {
                key.add(request.path());
            }
        }
        List<Detail> details = new ArrayList<>();
        if (!request.path().equals(request.normalizedPath())) {
            details.add(detail("sent as", request.path()));
        }
        request.query().ifPresent(query -> details.add(detail("query", Redaction.query(within(query)))));
        body(body).ifPresent(details::add);
        String reach = isAboutHosts
                ? named(shown.withPath("/").url().replaceFirst("/$", "")) + ", whatever its path, query and body"
                : named(shown.url()) + ", whatever its query and body";
        if (request.leadsInside()) {
            String address = request.addressText().orElseThrow();
            key.add(address);
            details.add(
                    detail("leads to", address + " (" + request.addressClass().orElseThrow() + ")"));
            reach += ", at " + address;
        }
        return new ApprovalSubject(
                key,
                what + request.method() + " " + shown.url(),
                details,
                (type.equals("http.request") ? "every " : "every answer to ") + request.method() + " " + reach);
    }

    private static boolean isOfHosts(String field) {
        return HOST_FIELDS.contains(field) || CIRCUMSTANCES.stream().anyMatch(field::startsWith);
    }

    private static Optional<Detail> body(Body body) {
        return switch (body) {
            case Body.Absent _ -> Optional.empty();
            case Body.Text text -> Optional.of(detail("body", Redaction.body(within(text.text()), text.contentType())));
            case Body.TooLarge large -> Optional.of(detail("body", "not shown: " + size(large.size())));
            case Body.Unread _ -> Optional.of(detail("body", "not read before the answer"));
            case Body.Redacted redacted -> Optional.of(detail("body", "not shown: " + size(redacted.size())));
        };
    }

    private static String size(OptionalLong size) {
        return size.isPresent() ? size.getAsLong() + " bytes" : "size unknown";
    }

    /// A rule that reads arguments is answered for these arguments alone, and for the `_meta` beside them.
    private static ApprovalSubject mcp(String type, McpRequest request, String what, Set<String> reads) {
        String called = request.toolName().orElse(request.method());
        boolean isAboutArguments = reads.stream()
                .anyMatch(field -> field.startsWith("mcp.request.arguments") || field.startsWith("mcp.request.meta"));
        // Resources and prompts have no tool's name: where the rule is about theirs, so is the answer.
        Optional<String> about = request.namespacedName()
                .filter(_ -> request.toolName().isEmpty() && reads.contains("mcp.request.namespaced_name"));
        List<String> key = new ArrayList<>(List.of(type, request.serverName(), request.method(), called));
        about.ifPresent(key::add);
        if (isAboutArguments) {
            key.add(request.arguments().map(JsonDocument::text).orElse(""));
            request.meta().ifPresent(meta -> key.add(meta.text()));
        }
        List<Detail> details = new ArrayList<>();
        request.arguments().ifPresent(said -> details.add(json("arguments", said)));
        request.meta().ifPresent(said -> details.add(json("_meta", said)));
        return new ApprovalSubject(
                key,
                what + request.serverName() + " " + called,
                details,
                (type.equals("mcp.request") ? "every call of " : "every result of ") + named(called)
                        + about.map(name -> " for " + named(name)).orElse("") + " of "
                        + named(request.serverName())
                        + (isAboutArguments ? " with these very arguments" : ", whatever its arguments"));
    }

    private static Detail json(String name, JsonDocument said) {
        return detail(name, Redaction.body(within(said.text()), Optional.empty()));
    }

    private static ApprovalSubject model(String type, ModelRequest request, String what) {
        String model = request.model().orElse("unnamed model");
        return new ApprovalSubject(
                List.of(type, request.provider(), model),
                what + request.provider() + " " + model,
                List.of(),
                (type.equals("model.request") ? "every request to " : "every answer of ") + request.provider() + " "
                        + named(model) + ", whatever it says");
    }

    private static String named(String text) {
        return shortened(text, NAMED_CHARS_MAX);
    }

    private static Detail detail(String name, String text) {
        return new Detail(name, bothEnds(text, DETAIL_HEAD, DETAIL_TAIL));
    }

    /// Beginning and end, with more of each than is shown: no secret that is shown is cut in two before it is masked.
    private static String within(String text) {
        int tail = MASKED_CHARS_MAX / 4;
        return text.length() <= MASKED_CHARS_MAX
                ? text
                : text.substring(0, MASKED_CHARS_MAX - tail) + text.substring(text.length() - tail);
    }

    private static String bothEnds(String text, int head, int tail) {
        int letters = text.codePointCount(0, text.length());
        if (letters <= head + tail) {
            return shortened(text, head + tail);
        }
        String beginning = text.substring(0, text.offsetByCodePoints(0, head));
        String end = text.substring(text.offsetByCodePoints(text.length(), -tail));
        return shortened(beginning, head) + " … " + shortened(end, tail);
    }

    /// The guest chose most of it: no control characters for a terminal, and no end of a line.
    private static String shortened(String line, int charsMax) {
        StringBuilder clean = new StringBuilder();
        line.codePoints()
                .limit(charsMax)
                .forEach(c -> clean.appendCodePoint(Character.isISOControl(c) || isFormat(c) ? ' ' : c));
        return clean.length() < line.length() ? clean.append('…').toString() : clean.toString();
    }

    /// Such as marks that turn the direction of writing around.
    private static boolean isFormat(int c) {
        return Character.getType(c) == Character.FORMAT
                || Character.getType(c) == Character.LINE_SEPARATOR
                || Character.getType(c) == Character.PARAGRAPH_SEPARATOR;
    }
}
