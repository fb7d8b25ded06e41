package dev.capsem.broker;

import dev.capsem.events.security.Headers;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// Where in a request a secret may stand. There is no "anywhere": a place is always named.
public sealed interface SecretPlace {
    String FORMS = "header:NAME, basic, query:NAME, path, body:/POINTER, ws:/POINTER or aws-sigv4[:KEYID]";

    /// One header field, by its lower-case name.
    record Header(String name) implements SecretPlace {
        public Header {
            name = name.toLowerCase(Locale.ROOT);
            if (!Headers.isName(name) || NEVER.contains(name)) {
                throw new IllegalArgumentException("not a header that may hold a secret");
            }
        }

        @Override
        public String text() {
            return "header:" + name;
        }
    }

    /// The user or the password of `Authorization: Basic`.
    record Basic() implements SecretPlace {
        @Override
        public String text() {
            return "basic";
        }
    }

    /// The value of one parameter of the query.
    record Query(String name) implements SecretPlace {
        public Query {
            if (!isPlain(name)) {
                throw new IllegalArgumentException("not the name of a query parameter");
            }
        }

        @Override
        public String text() {
            return "query:" + name;
        }
    }

    /// Within the path.
    record UrlPath() implements SecretPlace {
        @Override
        public String text() {
            return "path";
        }
    }

    /// The string that a JSON pointer (RFC 6901) leads to in a JSON body.
    record Body(JsonPointer pointer) implements SecretPlace {
        @Override
        public String text() {
            return "body:" + pointer.text();
        }
    }

    /// The same, in a text message of a WebSocket.
    record WebSocket(JsonPointer pointer) implements SecretPlace {
        @Override
        public String text() {
            return "ws:" + pointer.text();
        }
    }

    /// The signature of a request to AWS: the guest signs with the stand-in, and the door once more with the value.
    ///
    /// @param keyId the access key id that belongs to the value; the guest's own if empty
    record AwsSigV4(Optional<String> keyId) implements SecretPlace {
        @Override
        public String text() {
            return AWS_SIGV4 + keyId.map(id -> ":" + id).orElse("");
        }
    }

    String AWS_SIGV4 = "aws-sigv4";

    /// As a profile writes it.
    String text();

    /// What reading one comes to.
    sealed interface Parsed {
        record Read(SecretPlace place) implements Parsed {}

        record Unfit(String reason) implements Parsed {}
    }

    /// Fields that route or frame a message, or that servers copy into pages and logs as a matter of course.
    Set<String> NEVER = Set.of(
            "host",
            "content-length",
            "transfer-encoding",
            "content-encoding",
            "content-type",
            "connection",
            "upgrade",
            "te",
            "trailer",
            "expect",
            "origin",
            "referer",
            "user-agent",
            "forwarded",
            "via",
            "x-forwarded-for",
            "x-forwarded-host",
            "x-forwarded-proto");

    static Parsed parse(String text) {
        if (text.equals("basic")) {
            return new Parsed.Read(new Basic());
        }
        if (text.equals("path")) {
            return new Parsed.Read(new UrlPath());
        }
        if (text.equals(AWS_SIGV4)) {
            return new Parsed.Read(new AwsSigV4(Optional.empty()));
        }
        if (text.equals("body") || text.equals("ws")) {
            return new Parsed.Unfit(
                    "\"" + text + "\" alone would be anywhere in it: name the string with a JSON pointer, " + "such as "
                            + text + ":/auth/token");
        }
        int colon = text.indexOf(':');
        if (colon < 0) {
            return new Parsed.Unfit("a place is " + FORMS);
        }
        String rest = text.substring(colon + 1);
        return switch (text.substring(0, colon)) {
            case "header" -> header(rest);
            case "query" ->
                isPlain(rest)
                        ? new Parsed.Read(new Query(rest))
                        : new Parsed.Unfit("a query parameter's name has letters, digits, . _ ~ and - only");
            case "body" -> pointer(rest, true);
            case "ws" -> pointer(rest, false);
            case AWS_SIGV4 ->
                rest.matches("[A-Za-z0-9]{16,128}")
                        ? new Parsed.Read(new AwsSigV4(Optional.of(rest)))
                        : new Parsed.Unfit("an access key id has 16 to 128 letters and digits");
            default -> new Parsed.Unfit("a place is " + FORMS);
        };
    }

    private static Parsed header(String name) {
        if (!Headers.isName(name)) {
            return new Parsed.Unfit("this is not the name of a header");
        }
        if (NEVER.contains(name.toLowerCase(Locale.ROOT))) {
            return new Parsed.Unfit("header " + name + " routes or describes the message: it cannot hold a secret");
        }
        return new Parsed.Read(new Header(name));
    }

    private static Parsed pointer(String text, boolean isBody) {
        return JsonPointer.parse(text)
                .<Parsed>map(pointer -> new Parsed.Read(isBody ? new Body(pointer) : new WebSocket(pointer)))
                .orElseGet(() ->
                        new Parsed.Unfit("a JSON pointer starts with / and names a member, such as /auth/token; ~ is "
                                + "written ~0 and / is written ~1"));
    }

    /// Characters that no writer of a URL has to escape (RFC 3986 §2.3).
    private static boolean isPlain(String text) {
        return !text.isEmpty()
                && text.chars()
                        .allMatch(c -> (c >= 'a' && c <= 'z')
                                || (c >= 'A' && c <= 'Z')
                                || (c >= '0' && c <= '9')
                                || "-._~".indexOf(c) >= 0);
    }
}
