package dev.capsem.backends.builtin;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.capsem.backends.builtin.BuiltinTool.Hints;
import dev.capsem.backends.builtin.BuiltinTool.Schema;
import dev.capsem.backends.http.HttpClient;
import dev.capsem.backends.http.HttpFields;
import dev.capsem.backends.http.HttpResponse;
import dev.capsem.backends.http.HttpUrl;
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
    private static final long LENGTH_DEFAULT = 5_000;
    private static final long LENGTH_MAX = 512 * 1024;
    private static final Hints LOOKING = new Hints(true, false, true, true);
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

    List<BuiltinTool> tools() {
        return List.of(
                BuiltinTool.of(
                        "echo",
                        "Answers with the text it is given.",
                        new Hints(true, false, true, false),
                        Schema.of(Schema.required("text", "string", "What to answer.")),
                        arguments -> ToolResult.of(arguments.text("text"))),
                BuiltinTool.of(
                        "fetch_http",
                        "Fetches a web page or file by GET and shows it as markdown, as plain text or as it is. Long"
                                + " results come in parts: go on with start_index.",
                        LOOKING,
                        Schema.of(
                                Schema.required("url", "string", "An http or https address."),
                                Schema.optional("format", "string", "markdown (default), content or raw."),
                                Schema.optional("start_index", "integer", "Byte to begin at; default 0."),
                                Schema.optional("max_length", "integer", "Bytes to show; default 5000.")),
                        this::fetch),
                BuiltinTool.of(
                        "grep_http",
                        "Fetches a web page or file by GET and shows the lines that match a regular expression, with"
                                + " lines around them. Upper and lower case are the same.",
                        LOOKING,
                        Schema.of(
                                Schema.required("url", "string", "An http or https address."),
                                Schema.required("pattern", "string", "An RE2 regular expression."),
                                Schema.optional("context_lines", "integer", "Lines around each match; default 3."),
                                Schema.optional("max_matches", "integer", "Matches to show; default 50."),
                                Schema.optional("start_index", "integer", "Byte to begin at; default 0."),
                                Schema.optional("max_length", "integer", "Bytes to show; default 5000.")),
                        this::grep),
                BuiltinTool.of(
                        "http_headers",
                        "Asks a web server for the headers of an address.",
                        LOOKING,
                        Schema.of(
                                Schema.required("url", "string", "An http or https address."),
                                Schema.optional("method", "string", "HEAD (default) or GET.")),
                        this::headers));
    }

    /// What an address led to.
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

    private ToolResult fetch(JsonMembers arguments) throws BuiltinToolFailure {
        String format = arguments.optionalText("format").orElse("markdown");
        if (!List.of("markdown", "content", "raw").contains(format)) {
            throw new BuiltinToolFailure("Error: format is one of markdown, content, raw");
        }
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
        return ToolResult.of(out.append('\n').append(window.chunk()).toString());
    }

    private ToolResult grep(JsonMembers arguments) throws BuiltinToolFailure {
        Pattern pattern = pattern(arguments.text("pattern"));
        int context = (int) bounded(arguments.number("context_lines", 3), 0, 100);
        int most = (int) bounded(arguments.number("max_matches", 50), 1, 10_000);
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
        return ToolResult.of(window(arguments, out.toString()).headed());
    }

    private ToolResult headers(JsonMembers arguments) throws BuiltinToolFailure {
        String method = arguments.optionalText("method").orElse("HEAD").toUpperCase(Locale.ROOT);
        if (!method.equals("HEAD") && !method.equals("GET")) {
            throw new BuiltinToolFailure("Error: method is HEAD or GET");
        }
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
        return ToolResult.of(out.toString().stripTrailing());
    }

    /// Follows redirects; each hop is a connection of its own, and judged as such.
    private Fetched get(String method, String address) throws BuiltinToolFailure {
        HttpUrl url = HttpUrl.parse(address)
                .orElseThrow(() -> new BuiltinToolFailure("Error: url must be an http or https address"));
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
                            .orElseThrow(() -> new BuiltinToolFailure("Error: the server redirects to no web address"));
                    continue;
                }
                byte[] body = plain(response);
                if (response.status() >= 400 && method.equals("GET")) {
                    throw new BuiltinToolFailure(
                            "Error: HTTP " + response.status() + " " + response.reason() + " from " + current.host());
                }
                return new Fetched(current, response.status(), response.reason(), response.fields(), body);
            } catch (IOException e) {
                throw new BuiltinToolFailure("Error: " + current.host() + " cannot be reached: " + e.getMessage());
            }
        }
        throw new BuiltinToolFailure("Error: more than " + REDIRECTS_MAX + " redirects");
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

    private static void refuseBinary(Fetched page) throws BuiltinToolFailure {
        String type = page.fields().mediaType();
        if (BINARY.stream().anyMatch(type::startsWith)) {
            throw new BuiltinToolFailure("Error: binary content (" + type + "); use format=raw if you want it anyway");
        }
    }

    static Pattern pattern(String text) throws BuiltinToolFailure {
        if (text.isEmpty() || text.length() > PATTERN_LENGTH_MAX) {
            throw new BuiltinToolFailure("Error: pattern must have 1 to " + PATTERN_LENGTH_MAX + " characters");
        }
        try {
            return Pattern.compile(text, Pattern.CASE_INSENSITIVE);
        } catch (PatternSyntaxException e) {
            throw new BuiltinToolFailure("Error: pattern is no RE2 regular expression: " + e.getDescription());
        }
    }

    private static Paging window(JsonMembers arguments, String text) {
        return Paging.of(
                text,
                bounded(arguments.number("start_index", 0), 0, Integer.MAX_VALUE),
                bounded(arguments.number("max_length", LENGTH_DEFAULT), 1, LENGTH_MAX));
    }

    private static long bounded(long value, long least, long most) {
        return Math.max(least, Math.min(most, value));
    }
}
