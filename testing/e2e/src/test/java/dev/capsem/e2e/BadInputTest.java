package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.capsem.e2e.Installation.Reply;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import tools.jackson.databind.JsonNode;

/// Whatever a client gets wrong gives the right status, a code and a remedy, and changes nothing.
@Tag("e2e")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BadInputTest {
    private Installation installation = Installation.prepare(Account.available().getLast());
    private String sandbox = "";

    private record Case(String name, int status, Function<Installation, Reply> request) {}

    @BeforeAll
    void start() {
        installation.close();
        installation = Installation.start(Account.available().getLast());
        sandbox = installation.create();
        installation.exec(sandbox, "ln -s /etc/passwd outside; ln -s / slash; echo inside > file; mkdir dir");
    }

    @AfterAll
    void stop() {
        installation.close();
    }

    @TestFactory
    List<DynamicTest> isRefusedWithCodeAndRemedy() {
        String id = sandbox;
        byte[] tooLarge = new byte[11 * 1024 * 1024];
        List<Case> cases = List.of(
                new Case("unknown id, info", 404, to -> to.get("/info/nobody")),
                new Case("unknown id, exec", 404, to -> to.post("/exec/nobody", "{\"command\":\"true\"}")),
                new Case("unknown id, delete", 404, to -> to.delete("/delete/nobody")),
                new Case("unknown id, files", 404, to -> to.get("/files/nobody/content?path=x")),
                new Case("bad name", 400, to -> to.post("/provision", "{\"name\":\"../x\",\"persistent\":true}")),
                new Case("name too long", 400, to -> to.post("/provision", "{\"name\":\"" + "x".repeat(65) + "\"}")),
                new Case("bad JSON", 400, to -> to.post("/provision", "{\"name\":")),
                new Case("JSON of another shape", 422, to -> to.post("/exec/" + id, "[1,2]")),
                new Case("neither command nor argv", 422, to -> to.post("/exec/" + id, "{}")),
                new Case("empty argv", 422, to -> to.post("/exec/" + id, "{\"argv\":[]}")),
                new Case("command with NUL", 422, to -> to.post("/exec/" + id, "{\"command\":\"echo \\u0000\"}")),
                new Case("argv with NUL", 422, to -> to.post("/exec/" + id, "{\"argv\":[\"echo\",\"\\u0000\"]}")),
                new Case(
                        "negative timeout",
                        422,
                        to -> to.post("/exec/" + id, "{\"command\":\"true\",\"timeout_secs\":-1}")),
                new Case(
                        "LD_PRELOAD in exec",
                        422,
                        to -> to.post("/exec/" + id, "{\"command\":\"true\",\"env\":{\"LD_PRELOAD\":\"/tmp/x.so\"}}")),
                new Case(
                        "LD_PRELOAD in provision",
                        422,
                        to -> to.post("/provision", "{\"env\":{\"LD_PRELOAD\":\"x\"}}")),
                new Case("BASH_ENV in provision", 422, to -> to.post("/provision", "{\"env\":{\"BASH_ENV\":\"x\"}}")),
                new Case("environment name with =", 422, to -> to.post("/provision", "{\"env\":{\"A=B\":\"x\"}}")),
                new Case("negative memory", 422, to -> to.post("/provision", "{\"ram_mb\":-1}")),
                new Case("too little memory", 422, to -> to.post("/provision", "{\"ram_mb\":1}")),
                new Case("too many cpus", 422, to -> to.post("/provision", "{\"cpus\":9}")),
                new Case("no cpus", 422, to -> to.post("/provision", "{\"cpus\":0}")),
                new Case("unknown source", 404, to -> to.post("/provision", "{\"name\":\"copy\",\"from\":\"nobody\"}")),
                new Case("upload of 11 MiB", 413, to -> to.upload("/files/" + id + "/content?path=big", tooLarge)),
                new Case(
                        "JSON of 11 MiB",
                        413,
                        to -> to.post("/run", new String(tooLarge, StandardCharsets.ISO_8859_1))),
                new Case("dots, read", 400, to -> to.get("/files/" + id + "/content?path=../../session.db")),
                new Case("dots, encoded", 400, to -> to.get("/files/" + id + "/content?path=%2e%2e/%2e%2e/session.db")),
                new Case("dots, write", 400, to -> to.upload("/files/" + id + "/content?path=a/../../x", new byte[1])),
                new Case("NUL in path", 400, to -> to.get("/files/" + id + "/content?path=a%00b")),
                new Case("no path", 400, to -> to.get("/files/" + id + "/content")),
                new Case("symlink out, read", 403, to -> to.get("/files/" + id + "/content?path=outside")),
                new Case(
                        "symlink out, write",
                        403,
                        to -> to.upload("/files/" + id + "/content?path=slash/tmp/" + id, new byte[1])),
                new Case("absolute path outside", 403, to -> to.get("/files/" + id + "/content?path=/etc/passwd")),
                new Case("missing file", 404, to -> to.get("/files/" + id + "/content?path=nothing")),
                new Case("directory as file", 403, to -> to.get("/files/" + id + "/content?path=dir")),
                new Case("unknown route", 404, to -> to.get("/nothing/here")),
                new Case("wrong method", 405, to -> to.get("/provision")),
                new Case(
                        "wrong content type",
                        415,
                        to -> to.request(
                                "POST",
                                "/provision",
                                Optional.of("name=x".getBytes(StandardCharsets.UTF_8)),
                                "content-type: text/plain")),
                new Case("suspend of a temporary one", 400, to -> to.post("/suspend/" + id, "{}")),
                new Case("fork to a bad name", 400, to -> to.post("/fork/" + id, "{\"name\":\"a b\"}")),
                new Case("persist to a bad name", 400, to -> to.post("/persist/" + id, "{\"name\":\"\"}")),
                new Case("resume of nobody", 404, to -> to.post("/resume/nobody", "{}")));
        List<DynamicTest> tests = new ArrayList<>();
        for (Case bad : cases) {
            tests.add(dynamicTest(bad.name(), () -> refused(bad)));
        }
        return tests;
    }

    private void refused(Case bad) {
        JsonNode before = installation.get("/list").json().path("sandboxes");

        Reply reply = bad.request().apply(installation);

        reply.expect(bad.status());
        assertThat(reply.json().path("error").asString()).isNotBlank();
        assertThat(reply.json().path("code").asString()).isNotBlank();
        assertThat(reply.json().path("remedy").asString()).isNotBlank();
        JsonNode after = installation.get("/list").json().path("sandboxes");
        assertThat(after.size()).isEqualTo(before.size());
        assertThat(after.findValuesAsString("id")).isEqualTo(before.findValuesAsString("id"));
        assertThat(Files.exists(Path.of("/tmp", sandbox))).isFalse();
    }
}
