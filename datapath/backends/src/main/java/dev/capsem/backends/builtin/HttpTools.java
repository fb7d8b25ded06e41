package dev.capsem.backends.builtin;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.capsem.backends.http.HttpClient;
import dev.capsem.backends.http.HttpFields;
import dev.capsem.backends.http.HttpResponse;
import dev.capsem.backends.http.HttpUrl;
import dev.capsem.toolserver.Argument;
import dev.capsem.toolserver.ArgumentSchema;
import dev.capsem.toolserver.McpTool;
import dev.capsem.toolserver.McpTool.Hints;
import dev.capsem.toolserver.ToolAnswer;
import dev.capsem.toolserver.ToolFailure;
import dev.capsem.wire.json.JsonMembers;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.zip.GZIPInputStream;

/// Tools that look at the web. They only ever GET and HEAD.
final class HttpTools {
    private static final int BODY_BYTES_MAX = 10 * 1024 * 1024;
    private static final int REDIRECTS_MAX = 10;
    private static final int PATTERN_LENGTH_MAX = 1_000;
    private static final int URL_LENGTH_MAX = 16 * 1024;
    private static final long LENGTH_DEFAULT = 5_000;
    private static final long LENGTH_MAX = 512 * 1024;
    private static final Hints LOOKS_OUTSIDE = new Hints(true, false, true, true);
    private static final Argument URL =
            Argument.required("url", Argument.Text.of(1, URL_LENGTH_MAX), "An http or https address.");
    /// Of a regular expression.
    static final Argument.Text PATTERN = Argument.Text.of(1, PATTERN_LENGTH_MAX);

    static final Argument START_INDEX = Argument.optional(
            "start_index", Argument.Whole.between(0, Integer.MAX_VALUE), "Byte to begin at; default 0.");
    static final Argument MAX_LENGTH = Argument.optional(
            "max_length", Argument.Whole.between(1, LENGTH_MAX).orElse(LENGTH_DEFAULT), "Bytes to show.");
    private static final List<String> BINARY = List.of(
            "image/",
            "audio/",
            "video/",
            "font/",
            "application/octet-stream",
            "application/pdf",
            "application/zip",
            "application/gzip",
            "application/x-tar",
            "application/wasm",
            "application/x-executable");

    private final HttpClient http;

    HttpTools(HttpClient http) {
        this.http = http;
    }

    List<McpTool> tools() {
        return List.of(
                McpTool.of(
                        "echo",
                        "Echo",
                        "Answers with the text it is given.",
                        Hints.LOOKS,
                        ArgumentSchema.of(
                                Argument.required("text", Argument.Text.of(0, BODY_BYTES_MAX), "What to answer.")),
                        call -> ToolAnswer.of(call.arguments().text("text"))),
                McpTool.of(
                        "fetch_http",
                        "Fetch a page",
                        "Fetches a web page or file by GET and shows it as markdown, as plain text or as it is. Long"
                                + " results come in parts: go on with start_index.",
                        LOOKS_OUTSIDE,
                        ArgumentSchema.of(
                                URL,
                                Argument.optional(
                                        "format",
                                        Argument.Choice.of("markdown", "content", "raw"),
                                        "How it is shown; default markdown."),
                                START_INDEX,
                                MAX_LENGTH),
                        call -> fetch(call.arguments())),
                McpTool.of(
                        "grep_http",
                        "Search a page",
                        "Fetches a web page or file by GET and shows the lines that match a regular expression, with"
                                + " lines around them. Upper and lower case are the same.",
                        LOOKS_OUTSIDE,
                        ArgumentSchema.of(
                                URL,
                                Argument.required("pattern", PATTERN, "An RE2 regular expression."),
                                Argument.optional(
                                        "context_lines",
                                        Argument.Whole.between(0, 100).orElse(3),
                                        "Lines around each match."),
                                Argument.optional(
                                        "max_matches",
                                        Argument.Whole.between(1, 10_000).orElse(50),
                                        "Matches to show."),
                                START_INDEX,
                                MAX_LENGTH),
                        call -> grep(call.arguments())),
                McpTool.of(
                        "http_headers",
                        "Show headers",
                        "Asks a web server for the headers of an address.",
                        LOOKS_OUTSIDE,
                        ArgumentSchema.of(
                                URL,
                                Argument.optional(
                                        "method", Argument.Choice.of("HEAD", "GET", "head", "get"), "Default HEAD.")),
                        call -> headers(call.arguments())));
    }

    /// The response behind an address.
    private record Fetched(HttpUrl url, int status, String reason, HttpFields fields, byte[] body) {
        String text() {
            Charset charset = fields.first("content-type")
                    .map(value -> value.toLowerCase(Locale.ROOT))
                    .filter(value -> value.contains("charset="))
                    .map(value -> value.substring(value.indexOf("charset=") + 8)
                            .split("[;\\s]", 2)[0]
                            .replace("\"", ""))
                    .flatMap(Fetched::charset)
                    .orElse(StandardCharsets.UTF_8);
            return new String(body, charset);
        }

        boolean isHtml() {
            return fields.mediaType().equals("text/html") || fields.mediaType().equals("application/xhtml+xml");
        }

        private static Optional<Charset> charset(String name) {
            try {
                return Optional.of(Charset.forName(name));
            } catch (IllegalArgumentException e) {
                return Optional.empty();
            }
        }
    }

    private ToolAnswer fetch(JsonMembers arguments) {
        String format = arguments.optionalText("format").orElse("markdown");
        Fetched page = get("GET", arguments.text("url"));
        if (!format.equals("raw")) {
            refuseBinary(page);
        }
        String text = page.text();
        String shown = !page.isHtml() || format.equals("raw")
                ? text
                : format.equals("content")
                        ? Page.text(text)
                        : Page.markdown(text, page.url().toString());
        Paging window = window(arguments, shown);
        StringBuilder out = new StringBuilder();
        out.append("URL: ").append(page.url()).append('\n');
        out.append("Domain: ").append(page.url().host()).append('\n');
        out.append("Content length: ").append(window.size()).append('\n');
        if (window.isPart()) {
            out.append("Showing: ")
                    .append(window.start())
                    .append("..")
                    .append(window.end())
                    .append('\n');
        }
        if (window.remaining() > 0) {
            out.append("Remaining: ").append(window.remaining());
            out.append(" characters. Use start_index=").append(window.end()).append(" to continue.\n");
        }
        return ToolAnswer.of(out.append('\n').append(window.chunk()).toString());
    }

    private ToolAnswer grep(JsonMembers arguments) {
        Pattern pattern = pattern(arguments.text("pattern"));
        int context = (int) arguments.number("context_lines", 3);
        int most = (int) arguments.number("max_matches", 50);
        Fetched page = get("GET", arguments.text("url"));
        refuseBinary(page);
        String[] lines = (page.isHtml() ? Page.text(page.text()) : page.text()).split("\r?\n", -1);
        List<Integer> matches = new ArrayList<>();
        for (int i = 0; i < lines.length && matches.size() <= most; i++) {
            if (pattern.matcher(lines[i]).find()) {
                matches.add(i);
            }
        }
        StringBuilder out = new StringBuilder();
        out.append("URL: ").append(page.url()).append("\nPattern: ").append(pattern.pattern());
        out.append("\nMatches found: ").append(matches.size()).append('\n');
        if (matches.size() > most) {
            out.append("(showing first ")
                    .append(most)
                    .append(" of ")
                    .append(matches.size())
                    .append(" matches)\n");
        }
        for (int i = 0; i < Math.min(most, matches.size()); i++) {
            out.append("\n--- Match ").append(i + 1).append(" ---\n");
            int at = matches.get(i);
            for (int line = Math.max(0, at - context); line <= Math.min(lines.length - 1, at + context); line++) {
                out.append(line == at ? ">>> " : "    ")
                        .append(line + 1)
                        .append(": ")
                        .append(lines[line])
                        .append('\n');
            }
        }
        return ToolAnswer.of(window(arguments, out.toString()).headed());
    }

    private ToolAnswer headers(JsonMembers arguments) {
        String method = arguments.optionalText("method").orElse("HEAD").toUpperCase(Locale.ROOT);
        Fetched page = get(method, arguments.text("url"));
        StringBuilder out = new StringBuilder();
        out.append("URL: ").append(page.url()).append("\nStatus: ").append(page.status());
        out.append(page.reason().isEmpty() ? "" : " " + page.reason()).append("\n\nHeaders:\n");
        page.fields()
                .fields()
                .forEach(field -> out.append("  ")
                        .append(field.name().toLowerCase(Locale.ROOT))
                        .append(": ")
                        .append(field.value().chars().allMatch(c -> c >= ' ' && c < 127) ? field.value() : "<binary>")
                        .append('\n'));
        return ToolAnswer.of(out.toString().stripTrailing());
    }

    /// Follows redirects; each hop is a connection of its own, and judged as such.
    private Fetched get(String method, String address) {
        HttpUrl url = HttpUrl.parse(address)
                .orElseThrow(() -> new ToolFailure("Error: url must be an http or https address"));
        HttpFields fields = HttpFields.NONE
                .with("User-Agent", "capsem-mcp-builtin")
                .with("Accept", "*/*")
                .with("Accept-Encoding", "gzip");
        for (int hop = 0; hop <= REDIRECTS_MAX; hop++) {
            HttpUrl current = url;
            try (HttpResponse response =
                    http.send(method, current, fields, Optional.empty(), HttpClient.Watch.NOBODY)) {
                Optional<String> location = response.fields().first("location");
                if (response.status() >= 300 && response.status() < 400 && location.isPresent()) {
                    url = current.resolve(location.get())
                            .orElseThrow(() -> new ToolFailure("Error: the server redirects to no web address"));
                    continue;
                }
                byte[] body = plain(response);
                if (response.status() >= 400 && method.equals("GET")) {
                    throw new ToolFailure(
                            "Error: HTTP " + response.status() + " " + response.reason() + " from " + current.host());
                }
                return new Fetched(current, response.status(), response.reason(), response.fields(), body);
            } catch (IOException e) {
                throw new ToolFailure("Error: " + current.host() + " cannot be reached: " + e.getMessage());
            }
        }
        throw new ToolFailure("Error: more than " + REDIRECTS_MAX + " redirects");
    }

    private static byte[] plain(HttpResponse response) throws IOException {
        byte[] body = response.bytes(BODY_BYTES_MAX);
        boolean isPacked = response.fields()
                .first("content-encoding")
                .map(coding -> coding.equalsIgnoreCase("gzip"))
                .orElse(false);
        if (!isPacked || body.length == 0) {
            return body;
        }
        var plain = new ByteArrayOutputStream();
        byte[] chunk = new byte[16 * 1024];
        try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(body))) {
            for (int count = in.read(chunk); count >= 0; count = in.read(chunk)) {
                plain.write(chunk, 0, count);
                if (plain.size() > BODY_BYTES_MAX) {
                    throw new IOException("the answer is larger than " + BODY_BYTES_MAX + " bytes");
                }
            }
        }
        return plain.toByteArray();
    }

    private static void refuseBinary(Fetched page) {
        String type = page.fields().mediaType();
        if (BINARY.stream().anyMatch(type::startsWith)) {
            throw new ToolFailure("Error: binary content (" + type + "); use format=raw if you want it anyway");
        }
    }

    static Pattern pattern(String text) {
        try {
            return Pattern.compile(text, Pattern.CASE_INSENSITIVE);
        } catch (PatternSyntaxException e) {
            throw new ToolFailure("Error: pattern is no RE2 regular expression: " + e.getDescription());
        }
    }

    static Paging window(JsonMembers arguments, String text) {
        return Paging.of(text, arguments.number("start_index", 0), arguments.number("max_length", LENGTH_DEFAULT));
    }
}
