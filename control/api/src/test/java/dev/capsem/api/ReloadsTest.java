package dev.capsem.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.service.FakeHost;
import dev.capsem.service.SandboxEngine;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.wire.ipc.ServiceMessage;
import dev.capsem.wire.service.ServiceError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class ReloadsTest {
    private static final String HEAD = "schema = \"capsem.profile.v2\"\nid = \"coding\"\n";
    private static final String RULE = """
            [security.rules.process.no_curl]
            on = "process.exec"
            if = 'process.exec.command.contains("curl")'
            decision = "block"
            """;

    @TempDir
    private Path home = Path.of("replaced by JUnit");

    private void profile(String text) throws IOException {
        Files.createDirectories(home.resolve("profiles"));
        Files.writeString(home.resolve("profiles/coding.toml"), text);
    }

    private String installed() throws IOException {
        return Files.readString(home.resolve("run/persistent/lab/effective-profile.json"));
    }

    @Test
    void aSessionGetsItsProfileBeforeItsProcess() throws IOException {
        FakeHost fake = new FakeHost(home);
        try (SandboxEngine host = fake.open();
                TestService service = new TestService(fake, host, () -> {})) {
            Calls calls = new Calls(service.routes());

            JsonNode created = calls.post("/provision", "{\"name\":\"lab\",\"persistent\":true}");

            assertThat(created.path("profile_id").asString()).isEqualTo("coding");
            assertThat(installed()).contains("\"profile_id\": \"coding\"");
            JsonNode other = calls.post("/provision", "{\"name\":\"box\",\"profile_id\":\"locked-down\"}");
            assertThat(other.path("profile_id").asString()).isEqualTo("locked-down");
            calls.refused(ServiceProblem.Code.PROFILE_NOT_FOUND, "POST", "/provision", "{\"profile_id\":\"nowhere\"}");
        }
    }

    @Test
    void aProfileWhoseRulesDoNotCompileIsRefused() throws IOException {
        profile(HEAD + RULE.replace("command", "comand"));
        FakeHost fake = new FakeHost(home);
        try (SandboxEngine host = fake.open();
                TestService service = new TestService(fake, host, () -> {})) {
            ServiceError refusal = new Calls(service.routes())
                    .refused(ServiceProblem.Code.PROFILE_REFUSED, "POST", "/provision", "{}");

            assertThat(refusal.error()).contains("coding.toml:5:", "process.exec.command");
            assertThat(fake.processes().received()).isEmpty();
        }
    }

    @Test
    void changesReachRunningSandboxesAndBadFilesChangeNothing() throws IOException {
        FakeHost fake = new FakeHost(home);
        try (SandboxEngine host = fake.open();
                TestService service = new TestService(fake, host, () -> {})) {
            Calls calls = new Calls(service.routes());
            calls.post("/provision", "{\"name\":\"lab\",\"persistent\":true}");
            String before = installed();
            profile(HEAD + RULE);

            JsonNode good = calls.post("/reload-config", "");

            assertThat(good.toString())
                    .isEqualTo("{\"success\":true,\"reloaded\":1,\"failed_session_count\":0,\"failed_session_ids\":[],"
                            + "\"failures\":[],\"message\":null,\"problems\":[]}");
            String after = installed();
            assertThat(after).isNotEqualTo(before).contains("security.rules.process.no_curl");
            assertThat(fake.processes().received()).contains(new ServiceMessage.ReloadConfig());

            profile(HEAD + RULE.replace("command", "comand"));
            JsonNode typo = calls.json(500, "POST", "/reload-config", "");
            assertThat(typo.path("success").asBoolean()).isFalse();
            assertThat(typo.path("message").asString()).contains("coding.toml:5:");
            assertThat(installed()).isEqualTo(after);

            profile("this is no TOML");
            JsonNode noToml = calls.json(500, "POST", "/reload-config", "");
            assertThat(noToml.path("problems").get(0).path("line").asInt()).isEqualTo(1);
            assertThat(installed()).isEqualTo(after);
        }
    }

    @Test
    void aFileThatGoesBadIsNamedEverywhereAndItsLastGoodVersionStays() throws IOException {
        profile(HEAD + RULE);
        FakeHost fake = new FakeHost(home);
        try (SandboxEngine host = fake.open();
                TestService service = new TestService(fake, host, () -> {})) {
            Calls calls = new Calls(service.routes());
            assertThat(calls.post("/provision", "{}").has("warnings")).isFalse();
            assertThat(calls.get("/status").path("problems")).isEmpty();

            profile("this is no TOML");

            JsonNode reply = calls.json(500, "POST", "/reload-config", "");
            assertThat(reply.path("message").asString()).contains("coding.toml:1:");
            JsonNode created = calls.post("/provision", "{\"name\":\"lab\",\"persistent\":true}");
            assertThat(created.path("warnings").get(0).asString())
                    .contains("the profile coding has a mistake", "last good version", "coding.toml:1:");
            assertThat(installed()).contains("security.rules.process.no_curl");
            JsonNode problem = calls.get("/status").path("problems").get(0);
            assertThat(problem.path("code").asString()).isEqualTo("profile_mistake");
            assertThat(problem.path("cause").asString()).contains("coding.toml:1:");
            assertThat(problem.path("remedy").asString()).contains("capsem profiles validate /");
        }
    }

    @Test
    void aChosenProfileThatNeverWasGoodFailsTheReload() throws IOException {
        profile("this is no TOML");
        FakeHost fake = new FakeHost(home);
        try (SandboxEngine host = fake.open();
                TestService service = new TestService(fake, host, () -> {})) {
            Calls calls = new Calls(service.routes());

            assertThat(calls.json(500, "POST", "/reload-config", "")
                            .path("message")
                            .asString())
                    .contains("coding.toml:1:");
            calls.refused(ServiceProblem.Code.PROFILE_REFUSED, "POST", "/provision", "{}");
            assertThat(calls.get("/status").path("problems")).hasSize(1);
        }
    }

    @Test
    void aBadFileThatNobodyUsesIsNamedAndHindersNothing() throws IOException {
        FakeHost fake = new FakeHost(home);
        try (SandboxEngine host = fake.open();
                TestService service = new TestService(fake, host, () -> {})) {
            Calls calls = new Calls(service.routes());
            calls.post("/provision", "{\"name\":\"lab\",\"persistent\":true}");
            profile(HEAD + RULE);
            Files.writeString(fake.policy().profiles().folders().user().resolve("unused.toml"), "this is no TOML");

            JsonNode reply = calls.post("/reload-config", "");

            assertThat(reply.path("success").asBoolean()).isTrue();
            assertThat(reply.path("reloaded").asInt()).isEqualTo(1);
            assertThat(reply.path("problems").get(0).path("file").asString()).endsWith("unused.toml");
            assertThat(installed()).contains("security.rules.process.no_curl");
        }
    }

    @Test
    void aProcessThatCannotTakeThemIsNamed() {
        FakeHost fake = new FakeHost(home);
        try (SandboxEngine host = fake.open();
                TestService service = new TestService(fake, host, () -> {})) {
            Calls calls = new Calls(service.routes());
            calls.post("/provision", "{\"name\":\"lab\",\"persistent\":true}");
            calls.post("/provision", "{\"name\":\"box\",\"persistent\":true}");
            fake.processes().failReloads("the rules do not compile");

            JsonNode reply = calls.json(500, "POST", "/reload-config", "");

            assertThat(reply.path("reloaded").asInt()).isZero();
            assertThat(reply.path("failed_session_count").asInt()).isEqualTo(2);
            assertThat(reply.path("failures").get(0).toString()).contains("\"message\":\"the rules do not compile\"");
        }
    }
}
