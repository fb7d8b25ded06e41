package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/// A sandbox's life over HTTP: created, used, kept, copied, frozen, stopped, resumed, removed.
@Tag("e2e")
class LifecycleTest {
    static List<Account> accounts() {
        return Account.available();
    }

    @ParameterizedTest
    @MethodSource("accounts")
    void persistentSandboxKeepsItsStateAcrossStopAndResume(Account account) {
        try (Installation installation = Installation.shared(account)) {
            String id = installation.create("{\"name\":\"lab\",\"persistent\":true,\"env\":{\"COLOUR\":\"green\"}}");
            assertThat(id).isEqualTo("lab");
            assertThat(installation
                            .exec(id, "echo kept > note; echo system > /usr/share/mark; echo $COLOUR")
                            .stdout())
                    .isEqualTo("green\n");

            assertThat(installation
                            .post("/stop/lab", "{}")
                            .expect(200)
                            .json()
                            .path("persistent")
                            .asBoolean())
                    .isTrue();
            assertThat(status(installation, "lab")).isEqualTo("Stopped");
            installation.post("/exec/lab", "{\"command\":\"true\"}").expect(409);
            assertThat(installation
                            .get("/files/lab/content?path=note")
                            .expect(200)
                            .text())
                    .isEqualTo("kept\n");
            installation.post("/resume/lab", "{}").expect(200);

            assertThat(installation
                            .exec("lab", "cat note /usr/share/mark; echo $COLOUR")
                            .stdout())
                    .isEqualTo("kept\nsystem\ngreen\n");
            assertThat(installation
                            .get("/history/lab?layer=exec")
                            .json()
                            .path("total")
                            .asInt())
                    .isEqualTo(2);
            assertThat(installation
                            .get("/verify/lab")
                            .expect(200)
                            .json()
                            .path("intact")
                            .asBoolean())
                    .isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("accounts")
    void temporarySandboxIsGoneAfterStop(Account account) {
        try (Installation installation = Installation.shared(account)) {
            String id = installation.create();

            assertThat(installation
                            .post("/stop/" + id, "{}")
                            .expect(200)
                            .json()
                            .path("persistent")
                            .asBoolean())
                    .isFalse();

            installation.get("/info/" + id).expect(404);
            assertThat(Files.exists(installation.home().resolve("run/sessions/" + id)))
                    .isFalse();
        }
    }

    @ParameterizedTest
    @MethodSource("accounts")
    void persistKeepsARunningSandboxUnderItsName(Account account) {
        try (Installation installation = Installation.shared(account)) {
            String id = installation.create();
            installation.exec(id, "echo early > a");

            installation.post("/persist/" + id, "{\"name\":\"kept\"}").expect(200);

            installation.get("/info/" + id).expect(404);
            assertThat(installation.exec("kept", "cat a; echo late > b").stdout())
                    .isEqualTo("early\n");
            assertThat(installation
                            .get("/history/kept?layer=exec")
                            .json()
                            .path("total")
                            .asInt())
                    .isEqualTo(2);
            installation.post("/persist/kept", "{\"name\":\"again\"}").expect(400);
            installation.post("/stop/kept", "{}").expect(200);
            assertThat(installation
                            .get("/files/kept/content?path=b")
                            .expect(200)
                            .text())
                    .isEqualTo("late\n");
        }
    }

    @ParameterizedTest
    @MethodSource("accounts")
    void forkIsAStoppedCopyWithItsOwnLife(Account account) {
        try (Installation installation = Installation.shared(account)) {
            String id = installation.create();
            installation.exec(
                    id, "echo one > file; mkdir -p deep/er; echo x > deep/er/y; echo s > /etc/mark; rm /usr/bin/vi");

            JsonNode fork = installation
                    .post("/fork/" + id, "{\"name\":\"twin\",\"description\":\"d\"}")
                    .expect(200)
                    .json();
            installation.exec(id, "echo two > file");

            assertThat(fork.path("name").asString()).isEqualTo("twin");
            assertThat(fork.path("size_bytes").asLong()).isPositive();
            assertThat(status(installation, "twin")).isEqualTo("Stopped");
            installation.post("/fork/" + id, "{\"name\":\"twin\"}").expect(409);
            installation.post("/resume/twin", "{}").expect(200);
            assertThat(installation
                            .exec("twin", "cat file deep/er/y /etc/mark; ls /usr/bin/vi 2>&1 | tail -c 28")
                            .stdout())
                    .startsWith("one\nx\ns\n");
            assertThat(installation.exec("twin", "hostname").stdout()).isEqualTo("twin\n");
            String third = installation.create("{\"name\":\"third\",\"from\":\"twin\"}");
            assertThat(installation.exec(third, "cat file").stdout()).isEqualTo("one\n");
        }
    }

    @ParameterizedTest
    @MethodSource("accounts")
    void suspendedSandboxStandsStillUntilResumed(Account account) throws InterruptedException {
        try (Installation installation = Installation.shared(account)) {
            installation.create("{\"name\":\"clock\",\"persistent\":true}");
            installation.exec(
                    "clock",
                    "nohup sh -c 'while :; do echo t >> ticks; sleep 0.05; done' >/dev/null 2>&1 &"
                            + " until [ -s ticks ]; do sleep 0.05; done");

            JsonNode suspended =
                    installation.post("/suspend/clock", "{}").expect(200).json();
            long frozen = ticks(installation);
            Thread.sleep(400);

            assertThat(suspended.path("mode").asString()).isEqualTo("freeze");
            assertThat(status(installation, "clock")).isEqualTo("Suspended");
            assertThat(ticks(installation)).isEqualTo(frozen);
            installation.post("/exec/clock", "{\"command\":\"true\"}").expect(409);

            // It survives a restart of the service.
            assertThat(installation.capsem("service", "stop").exitCode()).isZero();
            assertThat(installation.capsem("service", "start").exitCode()).isZero();
            assertThat(status(installation, "clock")).isEqualTo("Suspended");
            assertThat(ticks(installation)).isEqualTo(frozen);

            installation.post("/resume/clock", "{}").expect(200);
            for (int attempt = 0; attempt < 300 && ticks(installation) == frozen; attempt++) {
                Thread.sleep(100);
            }
            assertThat(ticks(installation)).isGreaterThan(frozen);
        }
    }

    @ParameterizedTest
    @MethodSource("accounts")
    void filesGoInAndOutExactly(Account account) {
        try (Installation installation = Installation.shared(account)) {
            String id = installation.create();
            byte[] binary = new byte[256 * 300];
            for (int i = 0; i < binary.length; i++) {
                binary[i] = (byte) i;
            }

            installation
                    .upload("/files/" + id + "/content?path=new/dir/data.bin", binary)
                    .expect(200);

            assertThat(installation
                            .get("/files/" + id + "/content?path=new/dir/data.bin")
                            .expect(200)
                            .body())
                    .isEqualTo(binary);
            assertThat(installation
                            .get("/files/" + id + "/content?path=/root/new/dir/data.bin")
                            .expect(200)
                            .body())
                    .isEqualTo(binary);
            assertThat(installation
                            .exec(id, "stat -c %s:%a:%U new/dir/data.bin")
                            .stdout())
                    .isEqualTo(binary.length + ":644:root\n");
            JsonNode listing = installation
                    .get("/files/" + id + "?path=&depth=3")
                    .expect(200)
                    .json();
            assertThat(listing.path("entries").findValuesAsString("path"))
                    .contains("new", "new/dir", "new/dir/data.bin");
            String odd = "a%20b%C3%A4%3F.txt";
            installation
                    .upload("/files/" + id + "/content?path=" + odd, "x".getBytes(StandardCharsets.UTF_8))
                    .expect(200);
            assertThat(installation.exec(id, "ls").stdout()).contains("a bä?.txt");
        }
    }

    @ParameterizedTest
    @MethodSource("accounts")
    void timeoutKillsTheWholeGroupWith124(Account account) {
        try (Installation installation = Installation.shared(account)) {
            String id = installation.create();

            JsonNode reply = installation
                    .post("/exec/" + id, "{\"command\":\"sh -c 'sleep 300 & sleep 300'\",\"timeout_secs\":1}")
                    .expect(200)
                    .json();

            assertThat(reply.path("exit_code").asInt()).isEqualTo(124);
            assertThat(reply.path("timed_out").asBoolean()).isTrue();
            // Killed is not yet gone: each of them needs a moment on a core to end.
            assertThat(installation
                            .exec(id, "timeout 30 sh -c 'while grep -qsx sleep /proc/[0-9]*/comm; do :; done'")
                            .exitCode())
                    .isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("accounts")
    void runIsOneSandboxForOneCommand(Account account) {
        try (Installation installation = Installation.shared(account)) {
            int before = installation.get("/stats").json().path("sessions").size();

            JsonNode reply = installation
                    .post("/run", "{\"command\":\"echo $A; exit 3\",\"env\":{\"A\":\"b\"}}")
                    .expect(200)
                    .json();

            assertThat(reply.path("stdout").asString()).isEqualTo("b\n");
            assertThat(reply.path("exit_code").asInt()).isEqualTo(3);
            assertThat(installation.get("/list").json().path("sandboxes").size())
                    .isZero();
            JsonNode stats = installation.get("/stats").expect(200).json();
            assertThat(stats.path("sessions").size()).isEqualTo(before + 1);
        }
    }

    @ParameterizedTest
    @MethodSource("accounts")
    void purgeSparesThePersistentUnlessAll(Account account) {
        try (Installation installation = Installation.shared(account)) {
            installation.create();
            installation.create();
            installation.create("{\"name\":\"stay\",\"persistent\":true}");

            JsonNode some = installation.post("/purge", "{}").expect(200).json();
            JsonNode all =
                    installation.post("/purge", "{\"all\":true}").expect(200).json();

            assertThat(some.path("purged").asInt()).isEqualTo(2);
            assertThat(some.path("ephemeral_purged").asInt()).isEqualTo(2);
            assertThat(all.path("persistent_purged").asInt()).isEqualTo(1);
            assertThat(installation.get("/list").json().path("sandboxes").size())
                    .isZero();
        }
    }

    private static String status(Installation installation, String id) {
        return installation.get("/info/" + id).expect(200).json().path("status").asString();
    }

    private static long ticks(Installation installation) {
        return installation.get("/files/clock/content?path=ticks").expect(200).body().length;
    }
}
