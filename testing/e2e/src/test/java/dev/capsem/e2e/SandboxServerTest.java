package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Commands.Outcome;
import dev.capsem.e2e.Installation.Reply;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import tools.jackson.databind.JsonNode;

/// The sandbox-server API over TCP, as its documentation says to use it, against real sandboxes.
@Tag("e2e")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SandboxServerTest {
    private static final String SHARED = "sbx-shared";

    private final Installation installation =
            Installation.start(Account.available().getFirst());
    private final List<String> tokens = new ArrayList<>();
    private Optional<SandboxServer> server = Optional.empty();

    @BeforeAll
    void openTheGateway() {
        done("gateway", "on", "--port", "0");
        server = Optional.of(new SandboxServer(installation, token("--scope", "read,execute,lifecycle")));
        fork("locked-down", SHARED);
    }

    @AfterAll
    void close() {
        installation.close();
    }

    private SandboxServer server() {
        return server.orElseThrow();
    }

    private String done(String... arguments) {
        Outcome outcome = installation.capsem(arguments);
        assertThat(outcome.exitCode()).as("%s", outcome.stderr()).isZero();
        return outcome.stdout().strip();
    }

    private String token(String... options) {
        List<String> words = new ArrayList<>(List.of("token", "create"));
        words.addAll(List.of(options));
        String token = done(words.toArray(String[]::new));
        tokens.add(token);
        return token;
    }

    private JsonNode fork(String template, String id) {
        return server().post("/v1/fork", "{\"template\":\"%s\",\"id\":\"%s\"}".formatted(template, id))
                .expect(200)
                .json();
    }

    private JsonNode exec(String sandbox, String command) {
        return server().post("/v1/exec", "{\"sandbox\":\"%s\",\"command\":\"%s\"}".formatted(sandbox, command))
                .expect(200)
                .json();
    }

    private static void isProblem(Reply reply, int status, String code) {
        JsonNode error = reply.expect(status).json().path("error");
        assertThat(error.path("code").asString()).isEqualTo(code);
        assertThat(error.path("message").asString()).isNotBlank();
        assertThat(error.path("cause").asString()).isNotBlank();
        assertThat(error.path("remediation").asString()).isNotBlank();
    }

    @Test
    void createExecWriteReadForkThreeTerminate() {
        assertThat(fork("default", "sbx-flow").path("template_id").asString()).isEqualTo("default");
        JsonNode ran = exec("sbx-flow", "echo out; echo err >&2; exit 3");
        server().post(
                        "/v1/files/write",
                        "{\"sandbox\":\"sbx-flow\",\"path\":\"/root/notes.txt\",\"content\":\"kept\\n\"}")
                .expect(200);
        JsonNode read = server().post("/v1/files/read", "{\"sandbox\":\"sbx-flow\",\"path\":\"/root/notes.txt\"}")
                .expect(200)
                .json();

        assertThat(ran.path("exit_code").asInt()).isEqualTo(3);
        assertThat(ran.path("stdout").asString()).isEqualTo("out\n");
        assertThat(ran.path("stderr").asString()).isEqualTo("err\n");
        assertThat(ran.path("exec_time_ms").isIntegralNumber()).isTrue();
        assertThat(read.path("content").asString()).isEqualTo("kept\n");
        assertThat(read.path("size").asInt()).isEqualTo(5);
        for (int i = 1; i <= 3; i++) {
            String child = "sbx-flow-" + i;
            server().post("/v1/sandboxes/sbx-flow/fork", "{\"id\":\"%s\",\"pause_source\":true}".formatted(child))
                    .expect(200);
            assertThat(exec(child, "cat notes.txt; hostname").path("stdout").asString())
                    .isEqualTo("kept\n" + child + "\n");
            exec(child, "echo changed > notes.txt");
        }
        assertThat(exec("sbx-flow", "cat notes.txt").path("stdout").asString())
                .as("the source goes on and keeps its own files")
                .isEqualTo("kept\n");
        for (String id : List.of("sbx-flow", "sbx-flow-1", "sbx-flow-2", "sbx-flow-3")) {
            assertThat(server().delete("/v1/sandboxes/" + id).expect(200).text())
                    .isEqualTo("{\"status\":\"terminated\",\"id\":\"" + id + "\"}");
        }
        isProblem(server().delete("/v1/sandboxes/sbx-flow"), 404, "not_found");
    }

    @Test
    void onlyTheRightTokenOpensARoute() {
        String execute = "{\"sandbox\":\"%s\",\"command\":\"id\"}".formatted(SHARED);
        SandboxServer reader = server().with(token("--scope", "read"));
        String shortLived = token("--scope", "read", "--ttl", "1s");
        String revoked = token("--scope", "read", "--name", "gone");
        done("token", "revoke", "gone");

        server().with("").get("/v1/health").expect(200);
        isProblem(server().with("").get("/v1/sandboxes"), 401, "unauthorized");
        isProblem(server().with("capsem_wrong").get("/v1/sandboxes"), 401, "unauthorized");
        isProblem(server().with(revoked).get("/v1/sandboxes"), 401, "unauthorized");
        reader.get("/v1/sandboxes").expect(200);
        Reply refused = reader.post("/v1/exec", execute);
        isProblem(refused, 403, "forbidden");
        assertThat(refused.json().at("/error/context/required_scope").asString())
                .isEqualTo("execute");
        isProblem(server().get("/v1/tokens"), 403, "forbidden");
        isProblem(server().get("/version"), 404, "not_found");
        Reply expired = server().with(shortLived).get("/v1/sandboxes");
        while (expired.status() == 200) {
            expired = server().with(shortLived).get("/v1/sandboxes");
        }
        isProblem(expired, 401, "unauthorized");
        assertThat(done("token", "list")).contains("expired", "read").doesNotContain(shortLived);
    }

    @Test
    void loginKeepsTheTokenWhereClientsLookForIt() throws IOException {
        String said = done("token", "create", "--scope", "read", "--login");

        Path file = installation.userDirectory().resolve(".config/mitos/credentials.json");
        String token = Installation.JSON
                .readTree(Files.readAllBytes(file))
                .path("token")
                .asString();
        tokens.add(token);
        assertThat(said).contains(file.toString()).doesNotContain(token);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        server().with(token).get("/v1/sandboxes").expect(200);
    }

    @Test
    void guessingIsSlowedDownButTheOwnerGetsIn() {
        Reply last = server().with("capsem_guess").get("/v1/sandboxes");
        for (int i = 0; i < 20; i++) {
            last = server().with("capsem_guess").get("/v1/sandboxes");
        }

        isProblem(last, 429, "rate_limited");
        assertThat(last.json().at("/error/context/retry_after_ms").asLong()).isPositive();
        server().get("/v1/sandboxes").expect(200);
        done("gateway", "on", "--port", "0");
    }

    @Test
    void pagesOfOtherSitesAreKeptOut() {
        isProblem(server().call("GET", "/v1/health", new byte[0], "Host: evil.example"), 403, "forbidden");
        isProblem(server().call("GET", "/v1/health", new byte[0], "Origin: http://evil.example"), 403, "forbidden");
        isProblem(server().call("GET", "/v1/health", new byte[0], "Origin: null"), 403, "forbidden");
        isProblem(
                server().call("GET", "/v1/sandboxes", new byte[0], "Origin: http://localhost:3000"), 403, "forbidden");
        server().call("GET", "/v1/health", new byte[0], "Host: localhost:1").expect(200);
    }

    @Test
    void standaloneNeedsNoToken() {
        done("gateway", "on", "--port", "0", "--standalone");
        server().with("").get("/v1/sandboxes").expect(200);

        done("gateway", "on", "--port", "0");

        isProblem(server().with("").get("/v1/sandboxes"), 401, "unauthorized");
        assertThat(installation.capsem("gateway", "on", "--address", "0.0.0.0").stderr())
                .contains("loopback");
        assertThat(done("gateway", "status")).contains("with tokens");
    }

    @Test
    void aRepeatedRequestCreatesOneSandbox() {
        String body = "{\"template\":\"locked-down\",\"id\":\"sbx-once\"}";
        Reply first = server().post("/v1/fork", body, "Idempotency-Key: 0123").expect(200);

        assertThat(server().post("/v1/fork", body, "Idempotency-Key: 0123").text())
                .isEqualTo(first.text());
        isProblem(server().post("/v1/fork", body), 409, "invalid_input");
        isProblem(
                server().post("/v1/fork", body.replace("once", "twice"), "Idempotency-Key: 0123"),
                422,
                "invalid_input");
        server().delete("/v1/sandboxes/sbx-once").expect(200);
        assertThat(server().post("/v1/fork", body, "Idempotency-Key: 0123")
                        .expect(200)
                        .text())
                .as("what is gone is created again")
                .isNotEqualTo(first.text());
        server().delete("/v1/sandboxes/sbx-once").expect(200);
    }

    @Test
    void filesAreExactBytesAnywhereInTheGuest() {
        String bytes = Base64.getEncoder().encodeToString(new byte[] {0, (byte) 0xff, 10, 13, (byte) 0xc3});
        for (String path : List.of("/root/b/data.bin", "/tmp/b/data.bin")) {
            String where = "{\"sandbox\":\"%s\",\"path\":\"%s\"".formatted(SHARED, path);
            server().post(
                            "/v1/files/write",
                            where + ",\"content\":\"%s\",\"encoding\":\"base64\",\"mode\":\"0640\"}".formatted(bytes))
                    .expect(200);

            JsonNode read =
                    server().post("/v1/files/read", where + "}").expect(200).json();
            JsonNode entry = server().post(
                            "/v1/files/list",
                            "{\"sandbox\":\"%s\",\"path\":\"%s\"}".formatted(SHARED, path.replace("/data.bin", "")))
                    .expect(200)
                    .json()
                    .at("/entries/0");
            assertThat(read.path("content").asString()).isEqualTo(bytes);
            assertThat(read.path("encoding").asString()).isEqualTo("base64");
            assertThat(entry.path("path").asString()).isEqualTo(path);
            assertThat(entry.path("mode").asInt()).isEqualTo(0640);
            server().post("/v1/files/remove", where + "}").expect(200);
            isProblem(server().post("/v1/files/read", where + "}"), 404, "not_found");
        }
        isProblem(
                server().post(
                                "/v1/files/read",
                                "{\"sandbox\":\"%s\",\"path\":\"/root/../etc/passwd\"}".formatted(SHARED)),
                400,
                "invalid_input");
    }

    @Test
    void whatCannotBeDoneSaysWhy() {
        isProblem(server().post("/v1/fork", "{\"template\":\"nothing\"}"), 404, "not_found");
        isProblem(server().post("/v1/fork", "{\"template\":\"../x\"}"), 400, "invalid_input");
        isProblem(server().post("/v1/fork", "{\"template\":"), 400, "invalid_json");
        isProblem(server().post("/v1/exec", "{\"sandbox\":\"nobody\",\"command\":\"id\"}"), 404, "not_found");
        isProblem(server().post("/v1/nothing", "{}"), 404, "not_found");
        String late = "{\"sandbox\":\"%s\",\"command\":\"echo part; sleep 60\",\"timeout\":%d}";
        isProblem(server().post("/v1/exec", late.formatted(SHARED, 86_401)), 400, "timeout_too_large");
        Reply killed = server().post("/v1/exec", late.formatted(SHARED, 3));
        isProblem(killed, 504, "exec_timeout");
        assertThat(killed.json().at("/result/stdout").asString()).isEqualTo("part\n");
        isProblem(
                server().post("/v1/templates", "{\"id\":\"open\",\"network\":{\"egress\":\"allow\"}}"),
                400,
                "invalid_input");
        isProblem(
                server().call("POST", "/v1/exec", new byte[17 * 1_048_576], "content-type: application/json"),
                413,
                "body_too_large");
    }

    @Test
    void aSandboxStandsStillGoesOnAndEndsAtItsDeadline() {
        server().post(
                        "/v1/templates",
                        "{\"id\":\"small\",\"profile\":\"locked-down\",\"resources\":{\"vcpu_count\":1}}")
                .expect(200);
        assertThat(fork("small", "sbx-late").path("template_id").asString()).isEqualTo("small");
        String named = "{\"sandbox\":\"sbx-late\"";
        server().post("/v1/pause", named + "}").expect(200);
        isProblem(server().post("/v1/exec", named + ",\"command\":\"id\"}"), 409, "invalid_input");
        server().post("/v1/resume", named + "}").expect(200);
        exec("sbx-late", "true");

        server().post("/v1/set_timeout", named + ",\"timeout_seconds\":1}").expect(200);
        Reply after = server().get("/v1/sandboxes/sbx-late");
        while (after.status() == 200) {
            after = server().get("/v1/sandboxes/sbx-late");
        }

        isProblem(after, 410, "idle_timeout");
    }

    @Test
    void aWorkspaceOutlivesItsSandbox() {
        server().post("/v1/workspaces", "{\"name\":\"notes\"}").expect(200);
        fork("locked-down", "sbx-first");
        server().post("/v1/workspaces/notes/attach", "{\"sandbox\":\"sbx-first\"}")
                .expect(200);
        exec("sbx-first", "cd notes; echo one > a; mkdir d; echo x > d/b");
        server().post("/v1/workspaces/notes/commit", "{\"sandbox\":\"sbx-first\",\"message\":\"begun\"}")
                .expect(200);
        exec("sbx-first", "cd notes; echo two >> a; rm -r d");
        assertThat(server().delete("/v1/sandboxes/sbx-first")
                        .expect(200)
                        .json()
                        .at("/workspaces/0/revision")
                        .asInt())
                .isEqualTo(2);

        JsonNode diff = server().get("/v1/workspaces/notes/diff").expect(200).json();
        assertThat(diff.path("changes").toString())
                .isEqualTo("[{\"path\":\"a\",\"change\":\"modified\",\"size\":8},"
                        + "{\"path\":\"d\",\"change\":\"removed\",\"size\":0},"
                        + "{\"path\":\"d/b\",\"change\":\"removed\",\"size\":2}]");
        assertThat(diff.path("unified").asString()).contains("+two\n", "-x\n");
        server().post("/v1/workspaces/notes/revert", "{\"revision\":1}").expect(200);
        server().post("/v1/workspaces/notes/attach", "{\"sandbox\":\"%s\"}".formatted(SHARED))
                .expect(200);
        assertThat(exec(SHARED, "cat notes/a notes/d/b").path("stdout").asString())
                .isEqualTo("one\nx\n");
        assertThat(server().get("/v1/workspaces/notes/log")
                        .expect(200)
                        .json()
                        .at("/revisions/0/revert_of")
                        .asInt())
                .isEqualTo(1);
        isProblem(
                server().post("/v1/workspaces/notes/attach", "{\"sandbox\":\"%s\"}".formatted(SHARED)),
                409,
                "invalid_input");
        server().delete("/v1/workspaces/notes").expect(200);
        assertThat(server().get("/v1/workspaces").expect(200).text()).isEqualTo("[]");
    }

    private String stream(String method, String... messages) {
        return server().stream(SHARED, method, messages);
    }

    @Test
    void theRuntimeProtocolRunsCommandsAndMovesFiles() {
        assertThat(stream("ExecStream", "{\"command\":\"printf hi; exit 4\"}"))
                .startsWith("{\"stdout\":\"aGk=\"}\n{\"exit\":{\"exitCode\":4,")
                .endsWith("end {}\n");
        exec(SHARED, "printf hello > greeting");
        assertThat(stream("ReadFile", "{\"path\":\"/root/greeting\"}"))
                .isEqualTo("{\"data\":\"aGVsbG8=\"}\n{\"eof\":true}\nend {}\n");
        assertThat(stream("ReadFile", "{\"path\":\"/root/nothing\"}"))
                .contains("end {\"error\":{\"code\":\"not_found\"");
        Reply stat =
                server().post("/sandbox.v1.Sandbox/Stat", "{\"path\":\"/root/greeting\"}", "x-sandbox-id: " + SHARED);
        assertThat(stat.expect(200).json().path("size").asString()).isEqualTo("5");
        assertThat(server().post("/sandbox.v1.Sandbox/Fork", "{}", "x-sandbox-id: " + SHARED)
                        .expect(501)
                        .json()
                        .path("code")
                        .asString())
                .isEqualTo("unimplemented");
    }

    @Test
    void theRuntimeProtocolMovesDirectoriesAndSignalsProcesses() {
        exec(SHARED, "mkdir -p tree/deep && echo leaf > tree/deep/leaf");
        List<String> chunks = stream("Archive", "{\"path\":\"/root/tree\"}")
                .lines()
                .filter(line -> line.startsWith("{\"data\":"))
                .map(line -> line.replace("\"data\"", "\"chunk\""))
                .toList();
        List<String> upload = new ArrayList<>(List.of("{\"open\":{\"dest\":\"/var/tmp/copy\"}}"));
        upload.addAll(chunks);
        assertThat(stream("Upload", upload.toArray(String[]::new))).contains("bytesWritten");
        assertThat(exec(SHARED, "cat /var/tmp/copy/deep/leaf").path("stdout").asString())
                .isEqualTo("leaf\n");
        assertThat(stream("Archive", "{\"path\":\"/root/none\"}")).contains("end {\"error\":{\"code\":\"not_found\"");
        assertThat(stream("Upload", "{\"open\":{\"dest\":\"/root/x\"}}", "{\"chunk\":\"bm8gdGFy\"}"))
                .contains("end {\"error\":{\"code\":\"internal\"");

        String sleeping = "pgrep -fx 'sleep 43210'";
        int pid = Integer.parseInt(
                exec(SHARED, "setsid sleep 43210 > /dev/null 2>&1 & until " + sleeping + "; do sleep 0.1; done")
                        .path("stdout")
                        .asString()
                        .strip());
        assertThat(runtime("Processes", "{}").expect(200).text()).contains("{\"pid\":" + pid + ",");
        runtime("Signal", "{\"pid\":%d,\"signal\":9}".formatted(pid)).expect(200);
        exec(SHARED, "while " + sleeping + "; do sleep 0.1; done");
        runtime("Signal", "{\"pid\":1,\"signal\":15}").expect(400);
        runtime("Signal", "{\"pid\":4000000,\"signal\":15}").expect(404);
    }

    private Reply runtime(String method, String json) {
        return server().post("/sandbox.v1.Sandbox/" + method, json, "x-sandbox-id: " + SHARED);
    }

    /// Collects what a terminal says until it is closed.
    private static final class Said implements WebSocket.Listener {
        private final StringBuilder frames = new StringBuilder();
        /// A message comes in as many parts as the network made of it.
        private final ByteArrayOutputStream message = new ByteArrayOutputStream();

        private final CompletableFuture<String> all = new CompletableFuture<>();

        @Override
        public CompletionStage<?> onBinary(WebSocket socket, ByteBuffer data, boolean last) {
            byte[] part = new byte[data.remaining()];
            data.get(part);
            message.writeBytes(part);
            if (last) {
                String read = SandboxServer.frames(ByteBuffer.wrap(message.toByteArray()));
                frames.append(read);
                message.reset();
                if (read.startsWith("end ")) {
                    CompletableFuture<WebSocket> _ = socket.sendPing(ByteBuffer.allocate(0));
                }
            }
            socket.request(1);
            return CompletableFuture.completedFuture(last);
        }

        @Override
        public CompletionStage<?> onPong(WebSocket socket, ByteBuffer data) {
            frames.append("still there\n");
            socket.request(1);
            return CompletableFuture.completedFuture(data);
        }

        @Override
        public CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
            all.complete(frames.toString());
            return CompletableFuture.completedFuture(status);
        }

        @Override
        public void onError(WebSocket socket, Throwable failure) {
            all.completeExceptionally(failure);
        }
    }

    @Test
    void theRuntimeProtocolHasATerminal() throws Exception {
        Said said = new Said();
        try (HttpClient client = HttpClient.newHttpClient()) {
            WebSocket socket = client.newWebSocketBuilder()
                    .header("Authorization", "Bearer " + server().token())
                    .subprotocols("connect.sandbox.v1")
                    .buildAsync(
                            URI.create(server().url().replace("http", "ws") + "/sandbox.v1.Sandbox/Exec?sandbox="
                                    + SHARED),
                            said)
                    .get(60, TimeUnit.SECONDS);
            assertThat(socket.getSubprotocol()).isEqualTo("connect.sandbox.v1");
            socket.sendBinary(
                            ByteBuffer.wrap(
                                    SandboxServer.frame("{\"open\":{\"pty\":{\"size\":{\"cols\":91,\"rows\":17}}}}")),
                            true)
                    .get(60, TimeUnit.SECONDS);
            String typed = Base64.getEncoder().encodeToString("stty size; exit 5\n".getBytes(StandardCharsets.UTF_8));
            socket.sendBinary(ByteBuffer.wrap(SandboxServer.frame("{\"stdin\":\"" + typed + "\"}")), true)
                    .get(60, TimeUnit.SECONDS);

            String frames = said.all.get(60, TimeUnit.SECONDS);

            StringBuilder output = new StringBuilder();
            frames.lines()
                    .filter(line -> line.startsWith("{\"stdout\""))
                    .map(line -> line.substring(11, line.length() - 2))
                    .forEach(text ->
                            output.append(new String(Base64.getDecoder().decode(text), StandardCharsets.UTF_8)));
            assertThat(output.toString()).contains("17 91");
            // A client that reads slowly has the exit code before it hears of the end.
            assertThat(frames).endsWith("end {\"exit\":{\"exitCode\":5}}\nstill there\n");
        }
    }

    @Test
    void noTokenIsWrittenAnywhere() {
        token("--scope", "admin");
        server().with(tokens.getLast()).get("/v1/tokens").expect(200);
        server().post("/v1/exec/stream", "{\"sandbox\":\"%s\",\"command\":\"env; false\"}".formatted(SHARED))
                .expect(200);

        for (String token : tokens) {
            List<String> search =
                    List.of("grep", "-rlF", "-e", token, installation.home().toString());
            assertThat(Commands.run(search, Map.of(), installation.home(), new byte[0])
                            .stdout())
                    .as("files that hold a token")
                    .isEmpty();
        }
        assertThat(installation.get("/service-logs").expect(200).text())
                .contains("the gateway serves at")
                .doesNotContain("capsem_");
    }
}
