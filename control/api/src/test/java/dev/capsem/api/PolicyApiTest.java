package dev.capsem.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.service.FakeHost;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.wire.ipc.ServiceMessage;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.service.ServiceError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Rules and runtime rules through their routes.
class PolicyApiTest {
    private static final String RULE =
            "{\"on\":\"process.exec\",\"if\":\"process.exec.command.contains(\\\"curl\\\")\","
                    + "\"decision\":\"block\",\"priority\":7,\"reason\":\"no network tools\"}";
    private static final String NO_CURL = "security.rules.process.no_curl";
    private static final String SIGMA = """
            title: Shell history read
            logsource:
              product: capsem
            detection:
              selection:
                process.exec.command|contains: .bash_history
              condition: selection
            level: high
            """;

    @TempDir
    private Path home = Path.of("replaced by JUnit");

    private Optional<ServiceOfTest> opened = Optional.empty();

    @BeforeEach
    void start() {
        opened = Optional.of(new ServiceOfTest(home));
    }

    @AfterEach
    void stop() {
        opened.orElseThrow().close();
    }

    private Calls calls() {
        return opened.orElseThrow().calls();
    }

    private static String text(String name, String text) {
        return Json.text(Json.object().put("name", name).put("text", text));
    }

    @Test
    void rulesAreListedAsTheyAreAskedAndSayWhoseTheyAre() {
        JsonNode list = calls().get("/rules");

        assertThat(list.path("profile_id").asString()).isEqualTo("coding");
        JsonNode first = list.path("rules").get(0);
        JsonNode last = list.path("rules").get(list.path("rules").size() - 1);
        assertThat(first.path("priority").asInt())
                .isLessThan(last.path("priority").asInt());
        assertThat(first.path("provenance").path("source").asString()).isEqualTo("builtin");
        assertThat(first.path("editable").asBoolean()).isFalse();
        assertThat(calls().get("/rules/security.rules.http.push")
                        .path("rule")
                        .path("decision")
                        .asString())
                .isEqualTo("ask");
        calls().refused(ServiceProblem.Code.RULE_NOT_FOUND, "GET", "/rules/security.rules.http.nothing", "");
    }

    @Test
    void aRuleOfTheUsersIsWrittenPutInForceAndRemoved() throws IOException {
        calls().post("/provision", "{\"name\":\"lab\",\"persistent\":true}");
        String body = "{\"id\":\"" + NO_CURL + "\",\"rule\":" + RULE + "}";

        JsonNode row = calls().post("/rules", body);

        assertThat(row.path("editable").asBoolean()).isTrue();
        assertThat(row.path("condition").asString()).isEqualTo("process.exec.command.contains(\"curl\")");
        Path effective = home.resolve("run/persistent/lab/effective-profile.json");
        assertThat(Files.readString(effective)).contains(NO_CURL);
        assertThat(opened.orElseThrow().fake().processes().received()).contains(new ServiceMessage.ReloadConfig());
        calls().refused(ServiceProblem.Code.RULE_EXISTS, "POST", "/rules", body);
        calls().refused(
                        ServiceProblem.Code.RULE_IS_BUILTIN,
                        "POST",
                        "/rules",
                        body.replace(NO_CURL, "security.rules.process.commands"));
        JsonNode bad = calls().json(
                        422, "POST", "/rules", body.replace("no_curl", "other").replace(".command", ".comand"));
        assertThat(bad.path("code").asString()).isEqualTo("bad_rule");
        assertThat(bad.path("problems").get(0).path("message").asString()).contains("process.exec.command");

        assertThat(calls().delete("/rules/" + NO_CURL).path("removed").asBoolean())
                .isTrue();
        assertThat(Files.readString(effective)).doesNotContain(NO_CURL);
        assertThat(calls().refused(ServiceProblem.Code.RULE_IS_BUILTIN, "DELETE", "/rules/security.rules.http.push", "")
                        .error())
                .startsWith("security.rules.http.push is not a rule of yours");
    }

    @Test
    void aProfileThatWasJustSavedIsFound() throws IOException {
        calls().get("/rules");
        Files.createDirectories(home.resolve("profiles"));
        Files.writeString(
                home.resolve("profiles/fresh.toml"),
                "schema = \"capsem.profile.v2\"\nid = \"fresh\"\nextends = \"coding\"\n");

        assertThat(calls().get("/rules?profile=fresh").path("profile_id").asString())
                .isEqualTo("fresh");
    }

    @Test
    void whatCheckRefusesIsNotTested() {
        String profile = """
                schema = "capsem.profile.v2"
                id = "mine"
                extends = "nothing-like-it"
                cpus = 3

                [[security.expect]]
                on = "process.exec"
                given.process.exec.command = "ls"
                decision = "block"
                """;

        JsonNode check = calls().post("/rules/check", text("mine.toml", profile));
        JsonNode test = calls().post("/rules/test", text("mine.toml", profile));

        assertThat(check.path("ok").asBoolean()).isFalse();
        assertThat(test.path("ok").asBoolean()).isFalse();
        assertThat(test.path("problems")).isEqualTo(check.path("problems"));
    }

    @Test
    void checkNamesThePlaceAndWhatWasMeant() {
        JsonNode reply = calls().post(
                        "/rules/check",
                        text(
                                "mine.toml",
                                "[" + NO_CURL + "]\non = \"process.exec\"\nif = 'process.exec.comand == \"x\"'\n"
                                        + "decision = \"block\"\n"));

        assertThat(reply.path("ok").asBoolean()).isFalse();
        JsonNode problem = reply.path("problems").get(0);
        assertThat(problem.path("file").asString()).isEqualTo("mine.toml");
        assertThat(problem.path("line").asInt()).isEqualTo(3);
        assertThat(problem.path("snippet").asString()).contains("comand");
        assertThat(problem.path("suggestion").asString()).contains("process.exec.command");
    }

    @Test
    void testsRunAgainstAProfile() {
        String expect = """
                [[security.expect]]
                name = "an unknown host"
                on = "http.request"
                given = { http = { request = { host = "example.com" } } }
                decision = "allow"
                """;
        String body = Json.text(
                Json.object().put("name", "t.toml").put("text", expect).put("profile", "coding"));

        JsonNode reply = calls().post("/rules/test", body);

        assertThat(reply.path("failed").asInt()).isEqualTo(1);
        assertThat(reply.path("cases").get(0).path("actual").asString()).isEqualTo("ask");
        assertThat(reply.path("cases").get(0).path("rule").asString()).isEqualTo("security.rules.http.unknown_hosts");
        assertThat(calls().post("/rules/test", body.replace("\\\"allow\\\"", "\\\"ask\\\""))
                        .path("ok")
                        .asBoolean())
                .isTrue();
    }

    @Test
    void explainsWhyAndWhatWouldAllowIt() {
        String question = "{\"on\":\"http.request\",\"given\":{\"http\":{\"request\":{\"host\":\"example.com\"}}}}";

        JsonNode reply = calls().post("/rules/explain", question);

        assertThat(reply.path("decision").asString()).isEqualTo("ask");
        assertThat(reply.path("rule").asString()).isEqualTo("security.rules.http.unknown_hosts");
        assertThat(reply.path("event").path("subject").asString()).isEqualTo("GET https://example.com/");
        assertThat(reply.path("considered").size()).isGreaterThan(3);
        String toml = reply.path("suggestion").path("toml").asString();
        assertThat(toml).contains("example.com").contains("decision = \"allow\"");
        assertThat(calls().post("/rules/check", text("s.toml", toml)).path("ok").asBoolean())
                .isTrue();
        calls().refused(ServiceProblem.Code.WRONG_SHAPE, "POST", "/rules/explain", "{}");
    }

    @Test
    void whatIsMisspeltInAQuestionIsNamed() {
        ServiceError event = calls().refused(
                        ServiceProblem.Code.BAD_EVENT,
                        "POST",
                        "/rules/explain",
                        "{\"on\":\"http.requst\",\"given\":{}}");
        ServiceError field = calls().refused(
                        ServiceProblem.Code.BAD_EVENT,
                        "POST",
                        "/rules/explain",
                        "{\"on\":\"http.request\",\"given\":{\"http\":{\"request\":{\"hots\":\"x\"}}}}");

        assertThat(event.error()).contains("there is no event \"http.requst\"", "Did you mean http.request?");
        assertThat(event.remedy()).contains("dns.request", "process.exec");
        assertThat(field.error()).contains("did you mean http.request.host instead of http.request.hots?");
    }

    /// The host of this test limits no CPUs, and watches memory.
    @Test
    void limitsThatAreNotInForceAreSaidAtOnce() {
        JsonNode warnings =
                calls().post("/provision", "{\"cpus\":1,\"ram_mb\":512}").path("warnings");

        assertThat(warnings).hasSize(2);
        assertThat(warnings.get(0).asString()).contains("the limit of CPUs is not in force");
        assertThat(warnings.get(1).asString()).contains("watched, not enforced by the kernel");
        assertThat(calls().post("/provision", "{}").has("warnings")).isFalse();
    }

    @Test
    void whatIsNotInForceIsSaidByRunToo() {
        JsonNode reply = calls().post("/run", "{\"command\":\"true\",\"cpus\":1}");

        assertThat(reply.has("exit_code")).isTrue();
        assertThat(reply.path("warnings")).hasSize(1);
        assertThat(reply.path("warnings").get(0).asString()).contains("the limit of CPUs is not in force");
        assertThat(calls().post("/run", "{\"command\":\"true\"}").has("warnings"))
                .isFalse();
    }

    @Test
    void aNameOfThisHostIsAllowedByOneRuleForTheNameAndWhereItLeads() throws IOException {
        Files.writeString(
                opened.orElseThrow().fake().layout().home().resolve("hosts"),
                "# names\n127.0.0.1 localhost\n127.0.0.1\tmodels vm # me\n");
        String question = "{\"on\":\"http.request\",\"given\":{\"http\":{\"request\":"
                + "{\"scheme\":\"http\",\"host\":\"vm\",\"port\":8099%s}}}}";

        JsonNode reply = calls().post("/rules/explain", question.formatted(""));

        assertThat(reply.path("rule").asString()).isEqualTo("security.rules.http.private_names");
        String toml = reply.path("suggestion").path("toml").asString();
        assertThat(toml).contains("http.request.port == 8099", "\"loopback\"");
        ObjectNode rule = Json.object()
                .put("on", "http.request")
                .put(
                        "if",
                        toml.lines()
                                .filter(line -> line.startsWith("if = "))
                                .findFirst()
                                .orElseThrow()
                                .replaceAll("^if = '|'$", ""))
                .put("decision", "allow")
                .put("priority", 10);
        ObjectNode add = Json.object().put("id", "security.rules.http.allow_vm");
        add.set("rule", rule);
        calls().post("/rules", Json.text(add));
        for (String stage : List.of("", ",\"address\":\"127.0.0.1\"")) {
            assertThat(calls().post("/rules/explain", question.formatted(stage))
                            .path("decision")
                            .asString())
                    .as(stage)
                    .isEqualTo("allow");
        }
        assertThat(calls().post("/rules/explain", question.formatted(",\"address\":\"169.254.169.254\""))
                        .path("decision")
                        .asString())
                .isEqualTo("block");
    }

    @Test
    void runtimeRulesSurviveARestartAndReachSandboxes() throws IOException {
        calls().post("/provision", "{\"name\":\"lab\",\"persistent\":true}");
        String rule =
                "{\"id\":\"no.curl\",\"on\":\"process.exec\",\"condition\":\"process.exec.command == \\\"curl\\\"\","
                        + "\"decision\":\"block\"}";

        JsonNode compiled = calls().post("/enforcement/compile", rule);
        assertThat(compiled.path("compiled_plan").asString()).startsWith("cel:");
        JsonNode added = calls().post("/enforcement", rule);

        assertThat(added.path("propagation").path("target_count").asInt()).isEqualTo(1);
        assertThat(added.path("rule").path("priority").asInt()).isEqualTo(100);
        Path overlay = home.resolve("run/persistent/lab/overlay.toml");
        assertThat(Files.readString(overlay)).startsWith("[security.rules.process.overlay_no_curl]");
        assertThat(Files.readString(home.resolve("run/runtime_security_rules.json")))
                .contains("capsem.runtime-security-rules.v1", "no.curl");
        assertThat(new FakeHost(home).policy().overlay().enforcement()).hasSize(1);
        calls().refused(ServiceProblem.Code.RULE_EXISTS, "POST", "/enforcement", rule);
        calls().refused(ServiceProblem.Code.ASK_REFUSED, "POST", "/enforcement", rule.replace("block", "ask"));
        calls().refused(
                        ServiceProblem.Code.BAD_RULE,
                        "POST",
                        "/enforcement/validate",
                        rule.replace(".command", ".comand"));
        calls().refused(
                        ServiceProblem.Code.BAD_RULE,
                        "POST",
                        "/enforcement/validate",
                        rule.replace("\"decision\"", "\"priority\":-5,\"decision\""));
        calls().refused(
                        ServiceProblem.Code.WRONG_SHAPE,
                        "POST",
                        "/enforcement",
                        rule.replace("\"on\"", "\"more\":1,\"on\""));
        assertThat(calls().get("/enforcement/stats")
                        .path("rules")
                        .get(0)
                        .path("match_count")
                        .asInt())
                .isZero();
        JsonNode changed = calls().json(200, "PUT", "/enforcement/no.curl", rule.replace("\"block\"", "\"allow\""));
        assertThat(changed.path("rule").path("decision").asString()).isEqualTo("allow");

        assertThat(calls().delete("/enforcement/no.curl").path("removed").asBoolean())
                .isTrue();
        assertThat(overlay).doesNotExist();
        calls().refused(ServiceProblem.Code.RULE_NOT_FOUND, "DELETE", "/enforcement/no.curl", "");
    }

    @Test
    void backtestShowsWhatARuleWouldHaveCaught() {
        String event = "{\"event\":{\"event_type\":\"process.exec\",\"process\":{\"exec\":{\"command\":\"%s\"}}}}";
        String events =
                "[" + event.formatted("curl x") + "," + event.formatted("curl x") + "," + event.formatted("ls") + "]";
        String rule =
                "{\"id\":\"c\",\"on\":\"process.exec\",\"condition\":\"process.exec.command.startsWith(\\\"curl\\\")\","
                        + "\"decision\":\"block\"}";

        JsonNode report = calls().post("/enforcement/backtest", "{\"rule\":" + rule + ",\"events\":" + events + "}");

        assertThat(report.path("total_matches").asInt()).isEqualTo(2);
        assertThat(report.path("unique_evidence_matches").asInt()).isEqualTo(1);
        assertThat(report.path("rows").get(0).path("outcome").asString()).isEqualTo("block");
    }

    @Test
    void backtestReadsListsAndTheRulesOwnTime() {
        String event = "{\"event\":{\"event_type\":\"dns.request\",\"common\":{\"timestamp\":\"2026-03-02T23:30:00Z\"},"
                + "\"dns\":{\"request\":{\"qname\":\"%s\"}}}}";
        String events = "[" + event.formatted("a.example") + "," + event.formatted("b.example") + "]";
        String rule = "{\"id\":\"c\",\"on\":\"dns.request\",\"zone\":\"Europe/Berlin\",\"condition\":"
                + "\"dns.request.qname in list('bad.txt') && now.hour == 0\",\"decision\":\"block\"}";
        String lists = "{\"bad.txt\":\"# known bad\\nb.example\\n\"}";

        JsonNode report = calls().post(
                        "/enforcement/backtest",
                        "{\"rule\":" + rule + ",\"lists\":" + lists + ",\"events\":" + events + "}");

        assertThat(report.path("total_matches").asInt()).isEqualTo(1);
        calls().refused(
                        ServiceProblem.Code.BAD_RULE,
                        "POST",
                        "/enforcement/backtest",
                        "{\"rule\":" + rule + ",\"events\":" + events + "}");
    }

    @Test
    void detectionsAreSigmaRules() throws IOException {
        calls().post("/provision", "{\"name\":\"lab\",\"persistent\":true}");
        String sigma = Json.text(Json.object().put("sigma", SIGMA));

        JsonNode added = calls().post("/detection", sigma);

        String id = added.path("rule").path("id").asString();
        assertThat(added.path("rule").path("title").asString()).isEqualTo("Shell history read");
        assertThat(added.path("rule").path("severity").asString()).isEqualTo("high");
        assertThat(Files.readString(home.resolve("run/persistent/lab/detections/" + id + ".yml")))
                .isEqualTo(SIGMA);
        JsonNode found = calls().post(
                        "/detection/hunt",
                        "{\"events\":[{\"event\":{\"event_type\":\"process.exec\",\"process\":{\"exec\":"
                                + "{\"command\":\"cat .bash_history\"}}}}]}");
        assertThat(found.path("total_matches").asInt()).isEqualTo(1);
        assertThat(calls().get("/detection").path("rules").size()).isEqualTo(1);
        calls().refused(ServiceProblem.Code.BAD_DETECTION, "POST", "/detection", "{\"sigma\":\"title: x\"}");
        calls().refused(
                        ServiceProblem.Code.BAD_DETECTION,
                        "POST",
                        "/detection",
                        "{\"id\":\"x\",\"condition\":\"true\"}");
        calls().delete("/detection/" + id);
        assertThat(calls().get("/detection").path("rules").size()).isZero();
    }

    @Test
    void findingsAndCountsCarryTheIdsThatWereChosen() throws IOException {
        calls().post("/provision", "{\"name\":\"lab\",\"persistent\":true}");
        calls().post(
                        "/detection",
                        Json.text(Json.object()
                                .put("id", "my-det-1")
                                .put("pack_id", "corp")
                                .put("sigma", SIGMA)));

        JsonNode found = calls().post(
                        "/detection/hunt",
                        "{\"events\":[{\"event\":{\"event_type\":\"process.exec\",\"process\":{\"exec\":"
                                + "{\"command\":\"cat .bash_history\"}}}}]}");
        JsonNode stats = calls().get("/detection/stats");

        assertThat(found.path("rows").get(0).path("rule_id").asString()).isEqualTo("my-det-1");
        assertThat(found.path("rows").get(0).path("pack_id").asString()).isEqualTo("corp");
        assertThat(Files.readString(home.resolve("run/persistent/lab/detections/ids.json")))
                .isEqualTo("{\"my-det-1.yml\":{\"id\":\"my-det-1\",\"pack_id\":\"corp\"}}");
        assertThat(stats.path("rules").get(0).path("rule_id").asString()).isEqualTo("my-det-1");
        assertThat(stats.path("rules").get(0).path("match_count").asInt()).isEqualTo(6);
    }
}
