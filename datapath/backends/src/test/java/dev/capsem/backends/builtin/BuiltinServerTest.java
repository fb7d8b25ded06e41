package dev.capsem.backends.builtin;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.capsem.backends.http.HttpClient;
import dev.capsem.backends.io.Connector;
import dev.capsem.backends.io.DirectDialer;
import dev.capsem.backends.line.EventLog;
import dev.capsem.wire.aggregator.BuiltinTools;
import dev.capsem.wire.json.Json;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;
import javax.net.ssl.SSLSocketFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

@Timeout(120)
@Tag("sockets")
class BuiltinServerTest {
    @TempDir
    Path directory;

    private Path workspace;
    private Pipe input;
    private Pipe output;
    private OutputStream lines;
    private BufferedReader replies;
    private HttpServer web;
    private int lastId;

    @BeforeEach
    void start() throws IOException {
        workspace = Files.createDirectory(directory.resolve("workspace"));
        Files.writeString(directory.resolve("secret"), "outside");
        input = Pipe.open();
        output = Pipe.open();
        lines = Channels.newOutputStream(input.sink());
        replies = new BufferedReader(
                new InputStreamReader(Channels.newInputStream(output.source()), StandardCharsets.UTF_8));
        BuiltinServer server = BuiltinServer.of(
                new HttpClient(new Connector(new DirectDialer(), (SSLSocketFactory) SSLSocketFactory.getDefault())),
                new BuiltinServer.Places(Optional.of(workspace), Optional.empty()),
                InstantSource.system(),
                new EventLog(
                        new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8),
                        InstantSource.system()));
        Thread.ofPlatform().daemon().start(() -> {
            try {
                server.run(Channels.newInputStream(input.source()), Channels.newOutputStream(output.sink()));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        web = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        web.start();
    }

    @AfterEach
    void stop() throws IOException {
        web.stop(0);
        input.sink().close();
        output.source().close();
    }

    @Test
    void listsExactlyTheNamesThatTheEndpointKnows() throws Exception {
        JsonNode tools = ask("tools/list", Json.object()).at("/result/tools");

        assertThat(tools.valueStream().map(tool -> tool.get("name").asString()))
                .allMatch(name -> BuiltinTools.HTTP.contains(name) || BuiltinTools.FILE.contains(name))
                .contains("fetch_http", "grep_http", "http_headers", "file_read", "dir_delete");
        assertThat(tools.valueStream()).allSatisfy(tool -> {
            assertThat(tool.at("/inputSchema/type").asString()).isEqualTo("object");
            assertThat(tool.get("annotations").propertyNames()).hasSize(5);
            assertThat(tool.get("description").asString()).isNotEmpty();
        });
    }

    // --- files --------------------------------------------------------------------------------------------------

    @Test
    void writesReadsEditsAndDeletes() throws Exception {
        assertThat(call("file_write", "{\"path\":\"a/b/c.txt\",\"content\":\"one two\"}")
                        .at("/structuredContent/bytes")
                        .asInt())
                .isEqualTo(7);
        assertThat(text(call("file_read", "{\"path\":\"/root/a/b/c.txt\"}"))).isEqualTo("one two");
        assertThat(call("file_edit", "{\"path\":\"a/b/c.txt\",\"old_text\":\"two\",\"new_text\":\"three\"}")
                        .at("/structuredContent/replaced")
                        .asInt())
                .isEqualTo(1);
        assertThat(Files.readString(workspace.resolve("a/b/c.txt"))).isEqualTo("one three");
        assertThat(call("file_stat", "{\"path\":\"a/b/c.txt\"}")
                        .at("/structuredContent/size")
                        .asInt())
                .isEqualTo(9);
        assertThat(call("dir_list", "{\"depth\":3}")
                        .at("/structuredContent/entries")
                        .valueStream()
                        .map(entry -> entry.get("path").asString()))
                .containsExactly("a", "a/b", "a/b/c.txt");
        assertThat(call("file_search", "{\"pattern\":\"THREE\"}")
                        .at("/structuredContent/matches/0/path")
                        .asString())
                .isEqualTo("a/b/c.txt");
        assertThat(call("dir_delete", "{\"path\":\"a\"}").get("isError").asBoolean())
                .isTrue();
        call("file_delete", "{\"path\":\"a/b/c.txt\"}");
        assertThat(Files.exists(workspace.resolve("a/b/c.txt"))).isFalse();
        call("dir_delete", "{\"path\":\"a\",\"recursive\":true}");
        assertThat(workspace).isEmptyDirectory();
    }

    @Test
    void anOverwrittenFileKeepsItsMode() throws Exception {
        Path script = Files.writeString(workspace.resolve("run.sh"), "x");
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-x---"));

        call("file_write", "{\"path\":\"run.sh\",\"content\":\"y\"}");

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(script)))
                .isEqualTo("rwxr-x---");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "../secret",
                "a/../../secret",
                "/etc/passwd",
                "link",
                "linkdir/secret",
                "/root/../secret",
                "",
                "/root",
                "nothing"
            })
    void nothingOutsideTheWorkspaceIsReadWrittenOrDeleted(String path) throws Exception {
        Files.createSymbolicLink(workspace.resolve("link"), directory.resolve("secret"));
        Files.createSymbolicLink(workspace.resolve("linkdir"), directory);
        String arguments = Json.text(Json.object().put("path", path).put("content", "evil"));

        JsonNode read = call("file_read", arguments);
        if (!path.equals("nothing")) {
            assertThat(call("file_write", arguments).path("isError").asBoolean())
                    .isTrue();
        }
        call("dir_delete", Json.text(Json.object().put("path", path).put("recursive", true)));

        assertThat(read.get("isError").asBoolean()).isTrue();
        assertThat(text(read)).doesNotContain("outside");
        assertThat(Files.readString(directory.resolve("secret"))).isEqualTo("outside");
    }

    @Test
    void deletingALinkLeavesWhatItPointsTo() throws Exception {
        Files.createSymbolicLink(workspace.resolve("link"), directory.resolve("secret"));
        Files.createDirectory(workspace.resolve("d"));
        Files.createSymbolicLink(workspace.resolve("d/up"), directory);

        call("file_delete", "{\"path\":\"link\"}");
        call("dir_delete", "{\"path\":\"d\",\"recursive\":true}");

        assertThat(workspace).isEmptyDirectory();
        assertThat(directory.resolve("secret")).exists();
    }

    @Test
    void anAmbiguousEditChangesNothing() throws Exception {
        Files.writeString(workspace.resolve("f"), "x x");

        JsonNode result = call("file_edit", "{\"path\":\"f\",\"old_text\":\"x\",\"new_text\":\"y\"}");

        assertThat(text(result)).contains("2 times");
        assertThat(Files.readString(workspace.resolve("f"))).isEqualTo("x x");
    }

    @Test
    void binaryFilesComeAsBase64() throws Exception {
        Files.write(workspace.resolve("b"), new byte[] {(byte) 0xFF, 0});

        assertThat(call("file_read", "{\"path\":\"b\"}").get("isError").asBoolean())
                .isTrue();
        assertThat(call("file_read", "{\"path\":\"b\",\"encoding\":\"base64\"}")
                        .at("/structuredContent/content")
                        .asString())
                .isEqualTo("/wA=");
    }

    // --- web ----------------------------------------------------------------------------------------------------

    @Test
    void pagesBecomeMarkdownTextOrStayAsTheyAre() throws Exception {
        serve(
                "/page",
                "text/html; charset=utf-8",
                "<html><head><title>T</title><script>evil()</script></head><body>"
                        + "<h1>Hello</h1><p>A <a href=\"/x\">link</a> ü</p><ul><li>one</li></ul></body></html>");

        String markdown = text(call("fetch_http", url("/page")));
        String content = text(call("fetch_http", url("/page", "\"format\":\"content\"")));
        String raw = text(call("fetch_http", url("/page", "\"format\":\"raw\"")));

        assertThat(markdown)
                .startsWith("URL: http://127.0.0.1:")
                .contains("\nDomain: 127.0.0.1\nContent length: ")
                .contains("Hello")
                .contains("[link](")
                .doesNotContain("evil")
                .doesNotContain("<h1>");
        assertThat(content).contains("Hello\nA link ü\none").doesNotContain("evil");
        assertThat(raw).contains("<script>evil()</script>");
    }

    @Test
    void longTextsComeInParts() throws Exception {
        serve("/long", "text/plain", "äbcdefghij");

        String first = text(call("fetch_http", url("/long", "\"max_length\":4")));
        String inside = text(call("fetch_http", url("/long", "\"start_index\":1,\"max_length\":4")));

        assertThat(first)
                .endsWith(
                        "Content length: 11\nShowing: 0..4\nRemaining: 7 characters. Use start_index=4 to continue.\n\näbc");
        assertThat(inside).endsWith("\n\näbcd");
    }

    @Test
    void matchingLinesAreShownWithTheirSurroundings() throws Exception {
        serve("/log", "text/plain", "a\nb\nERROR one\nc\nd\nerror two\n");

        String found =
                text(call("grep_http", url("/log", "\"pattern\":\"error\",\"context_lines\":1,\"max_matches\":1")));

        assertThat(found)
                .isEqualTo("URL: " + base() + "/log\nPattern: error\nMatches found: 2\n"
                        + "(showing first 1 of 2 matches)\n\n--- Match 1 ---\n    2: b\n>>> 3: ERROR one\n    4: c\n");
    }

    @Test
    void headersAreListed() throws Exception {
        serve("/h", "text/plain", "x");

        assertThat(text(call("http_headers", url("/h", "\"method\":\"GET\""))))
                .startsWith("URL: " + base() + "/h\nStatus: 200 OK\n\nHeaders:\n")
                .contains("\n  content-type: text/plain");
    }

    @Test
    void redirectsAreFollowedAndGzipUndone() throws Exception {
        web.createContext("/from", exchange -> {
            exchange.getResponseHeaders().add("Location", "to?x=1");
            exchange.sendResponseHeaders(302, -1);
            exchange.close();
        });
        web.createContext("/to", exchange -> {
            var packed = new ByteArrayOutputStream();
            try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
                out.write("unpacked".getBytes(StandardCharsets.UTF_8));
            }
            exchange.getResponseHeaders().add("Content-Type", "text/plain");
            exchange.getResponseHeaders().add("Content-Encoding", "gzip");
            exchange.sendResponseHeaders(200, packed.size());
            exchange.getResponseBody().write(packed.toByteArray());
            exchange.close();
        });

        assertThat(text(call("fetch_http", url("/from")))).contains("/to?x=1").endsWith("unpacked");
    }

    /// Sixty kilobytes that become sixty megabytes.
    @Test
    void aPackedAnswerThatGrowsWithoutEndIsAnError() throws Exception {
        var packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            byte[] zeros = new byte[1024 * 1024];
            for (int i = 0; i < 60; i++) {
                out.write(zeros);
            }
        }
        web.createContext("/bomb", exchange -> {
            exchange.getResponseHeaders().add("Content-Type", "text/plain");
            exchange.getResponseHeaders().add("Content-Encoding", "gzip");
            exchange.sendResponseHeaders(200, packed.size());
            exchange.getResponseBody().write(packed.toByteArray());
            exchange.close();
        });

        JsonNode result = call("fetch_http", url("/bomb"));

        assertThat(packed.size()).isLessThan(100_000);
        assertThat(result.get("isError").asBoolean()).isTrue();
        assertThat(text(result)).contains("the answer is larger than 10485760 bytes");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ftp://x/", "file:///etc/passwd", "nonsense", "http://user:pw@x/", "http://127.0.0.1:1/"})
    void addressesThatCannotBeFetchedAreErrors(String address) throws Exception {
        JsonNode result = call("fetch_http", "{\"url\":\"" + address + "\"}");

        assertThat(result.get("isError").asBoolean()).isTrue();
        assertThat(text(result)).startsWith("Error: ");
    }

    @Test
    void binaryAndMissingPagesAndEndlessRedirectsAreErrors() throws Exception {
        serve("/img", "image/png", "x");
        web.createContext("/loop", exchange -> {
            exchange.getResponseHeaders().add("Location", "/loop");
            exchange.sendResponseHeaders(302, -1);
            exchange.close();
        });

        assertThat(text(call("fetch_http", url("/img")))).startsWith("Error: binary content (image/png)");
        assertThat(text(call("fetch_http", url("/missing")))).startsWith("Error: HTTP 404");
        assertThat(text(call("fetch_http", url("/loop")))).isEqualTo("Error: more than 10 redirects");
        assertThat(text(call("grep_http", url("/img", "\"pattern\":\"(\"")))).startsWith("Error: pattern");
    }

    // --- protocol -----------------------------------------------------------------------------------------------

    @Test
    void brokenRequestsAreAnsweredAndNothingStops() throws Exception {
        say("nonsense");
        assertThat(Json.parse(replies.readLine()).at("/error/code").asInt()).isEqualTo(-32700);
        assertThat(ask("tasks/list", Json.object()).at("/error/code").asInt()).isEqualTo(-32601);
        assertThat(text(call("rm", "{}"))).contains("there is no tool \"rm\"", "tools/list");
        assertThat(text(call("file_read", "{\"path\":7}"))).contains("\"path\" must be a string");
        assertThat(text(call("file_read", "{\"path\":\"a\",\"paht\":\"b\"}"))).contains("no argument \"paht\"");
        assertThat(text(call("file_write", "{\"path\":\"a\",\"content\":\"!\",\"encoding\":\"base64\"}")))
                .startsWith("file_write: arguments.content must be base64");
        assertThat(workspace).isEmptyDirectory();
        assertThat(text(call("echo", "{\"text\":\"still here\"}"))).isEqualTo("still here");
    }

    private void serve(String path, String type, String body) {
        web.createContext(path, exchange -> {
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("Content-Type", type);
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
    }

    private String base() {
        return "http://127.0.0.1:" + web.getAddress().getPort();
    }

    private String url(String path, String... more) {
        return "{\"url\":\"" + base() + path + "\"" + (more.length == 0 ? "" : "," + more[0]) + "}";
    }

    private JsonNode call(String tool, String arguments) throws IOException {
        ObjectNode params = Json.object().put("name", tool);
        params.set("arguments", Json.parse(arguments));
        return ask("tools/call", params).get("result");
    }

    private JsonNode ask(String method, ObjectNode params) throws IOException {
        ObjectNode request =
                Json.object().put("jsonrpc", "2.0").put("id", ++lastId).put("method", method);
        request.set("params", params);
        say(Json.text(request));
        return Json.parse(replies.readLine());
    }

    private static String text(JsonNode result) {
        return result.at("/content/0/text").asString();
    }

    private void say(String line) throws IOException {
        lines.write((line + "\n").getBytes(StandardCharsets.UTF_8));
    }
}
