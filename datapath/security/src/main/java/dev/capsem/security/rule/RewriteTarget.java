package dev.capsem.security.rule;

import dev.capsem.events.security.Headers;
import dev.capsem.events.vocabulary.EventType;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The fields that a rewrite may change; no others. Not the host: the connection was judged by it.
sealed interface RewriteTarget {
    String ALLOWED = "http.request.path, http.request.query, http.request.header(\"name\"), http.request.body.text,"
            + " http.response.header(\"name\"), http.response.body.text, mcp.request.arguments[.path] or"
            + " mcp.response.content[.path]";

    Pattern HEADER = Pattern.compile("http\\.(request|response)\\.header\\((['\"])(.*)\\2\\)");
    Pattern STRUCTURE = Pattern.compile("mcp\\.(request\\.arguments|response\\.content)((?:\\.[A-Za-z0-9_-]+)*)");

    String path();

    /// The one event at which it can be changed.
    EventType on();

    record Path() implements RewriteTarget {
        @Override
        public String path() {
            return "http.request.path";
        }

        @Override
        public EventType on() {
            return EventType.HTTP_REQUEST;
        }
    }

    record Query() implements RewriteTarget {
        @Override
        public String path() {
            return "http.request.query";
        }

        @Override
        public EventType on() {
            return EventType.HTTP_REQUEST;
        }
    }

    record Header(EventType on, String name) implements RewriteTarget {
        @Override
        public String path() {
            return on.wireName() + ".header(\"" + name + "\")";
        }
    }

    record Content(EventType on) implements RewriteTarget {
        @Override
        public String path() {
            return on.wireName() + ".body.text";
        }
    }

    record Structure(EventType on, List<String> members) implements RewriteTarget {
        public Structure {
            members = List.copyOf(members);
        }

        @Override
        public String path() {
            String root = on == EventType.MCP_REQUEST ? "mcp.request.arguments" : "mcp.response.content";
            return members.isEmpty() ? root : root + "." + String.join(".", members);
        }
    }

    static Optional<RewriteTarget> parse(String text) {
        return switch (text) {
            case "http.request.path" -> Optional.of(new Path());
            case "http.request.query" -> Optional.of(new Query());
            case "http.request.body.text" -> Optional.of(new Content(EventType.HTTP_REQUEST));
            case "http.response.body.text" -> Optional.of(new Content(EventType.HTTP_RESPONSE));
            default -> parseWithName(text);
        };
    }

    private static Optional<RewriteTarget> parseWithName(String text) {
        Matcher header = HEADER.matcher(text);
        if (header.matches() && Headers.isName(header.group(3))) {
            EventType on = header.group(1).equals("request") ? EventType.HTTP_REQUEST : EventType.HTTP_RESPONSE;
            return Optional.of(new Header(on, header.group(3).toLowerCase(Locale.ROOT)));
        }
        Matcher structure = STRUCTURE.matcher(text);
        if (structure.matches()) {
            EventType on = structure.group(1).startsWith("request") ? EventType.MCP_REQUEST : EventType.MCP_RESPONSE;
            String members = structure.group(2);
            return Optional.of(new Structure(
                    on,
                    members.isEmpty() ? List.of() : List.of(members.substring(1).split("\\."))));
        }
        return Optional.empty();
    }
}
