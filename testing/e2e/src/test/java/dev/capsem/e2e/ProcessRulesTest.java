package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.security.RuleId;
import dev.capsem.profiles.EffectiveJson;
import dev.capsem.profiles.EffectiveProfile;
import dev.capsem.profiles.OwnedEntry;
import dev.capsem.profiles.file.Entry.RuleEntry;
import dev.capsem.profiles.file.Entry.SettingEntry;
import dev.capsem.profiles.file.Setting;
import dev.capsem.profiles.io.SessionProfile;
import dev.capsem.profiles.vocabulary.ProfileId;
import dev.capsem.profiles.vocabulary.Provenance;
import dev.capsem.source.Layer;
import dev.capsem.source.Place;
import dev.capsem.wire.HomeLayout;
import dev.capsem.wire.SandboxId;
import dev.capsem.wire.io.IpcConnection;
import dev.capsem.wire.io.TaskScope;
import dev.capsem.wire.ipc.FailureCode;
import dev.capsem.wire.ipc.ProcessMessage;
import dev.capsem.wire.ipc.ServiceMessage;
import dev.capsem.wire.service.ExecRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/// Commands of a real sandbox under rules that change while it runs. Speaks to the sandbox's process as the
/// service does.
@Tag("e2e")
@Timeout(180)
class ProcessRulesTest {
    private static final String ALLOW = rule("rest", "true", "allow", 1000);

    @Test
    void aBlockedCommandNeverRunsAndAReloadChangesTheNextDecision() throws InterruptedException {
        try (Installation installation = Installation.shared(Account.available().getFirst())) {
            Session session = new Session(installation, installation.create());
            session.reload(rule("no_marks", "process.exec.command.startsWith(\"touch\")", "block", 10), ALLOW);

            ProcessMessage blocked = session.exec("touch mark");
            Installation.Reply overHttp =
                    installation.post("/exec/" + session.id, "{\"command\":\"touch mark\",\"timeout_secs\":30}");

            assertThat(blocked).isInstanceOfSatisfying(ProcessMessage.Failed.class, failed -> {
                assertThat(failed.code()).isEqualTo(FailureCode.BLOCKED);
                assertThat(failed.cause()).contains("security.rules.process.no_marks");
                assertThat(failed.remedy()).contains("capsem rules why " + session.id);
            });
            assertThat(overHttp.status()).isGreaterThanOrEqualTo(400);
            assertThat(overHttp.text()).contains("security.rules.process.no_marks");
            assertThat(session.workspace().resolve("mark")).doesNotExist();
            awaitEquals(2L, session::blocked);

            session.reload(ALLOW);

            assertThat(session.exec("touch mark")).isInstanceOf(ProcessMessage.Exited.class);
            assertThat(session.workspace().resolve("mark")).exists();
        }
    }

    @Test
    void badRulesChangeNothingAndSayWhere() {
        try (Installation installation = Installation.shared(Account.available().getFirst())) {
            Session session = new Session(installation, installation.create());
            session.reload(rule("no_marks", "process.exec.command.startsWith(\"touch\")", "block", 10), ALLOW);
            session.write(rule("no_marks", "process.exec.comand == \"x\"", "block", 10), ALLOW);

            ProcessMessage answer = session.ask(new ServiceMessage.ReloadConfig());

            assertThat(answer).isInstanceOfSatisfying(ProcessMessage.Failed.class, failed -> {
                assertThat(failed.code()).isEqualTo(FailureCode.RULES_REFUSED);
                assertThat(failed.cause()).contains("e2e.toml:3:").contains("process.exec.command");
            });
            assertThat(session.exec("touch mark")).isInstanceOf(ProcessMessage.Failed.class);
            assertThat(session.exec("true")).isInstanceOf(ProcessMessage.Exited.class);
            ProcessMessage.RuleStats stats = (ProcessMessage.RuleStats) session.ask(new ServiceMessage.GetRuleStats());
            JsonNode first =
                    Installation.JSON.readTree(stats.json()).path("rules").path(0);
            assertThat(first.path("id").asString()).isEqualTo("security.rules.process.no_marks");
            assertThat(first.path("match_count").asInt()).isEqualTo(1);
            assertThat(first.path("last_event_id").asString()).isNotEmpty();
        }
    }

    @Test
    void aDamagedProfileOfARunningSessionOpensNothing() throws IOException {
        try (Installation installation = Installation.shared(Account.available().getFirst())) {
            Session session = new Session(installation, installation.create());
            session.reload(rule("nothing", "true", "block", 1000));
            Files.writeString(session.directory().resolve(EffectiveJson.FILE), "{}");

            assertThat(session.ask(new ServiceMessage.ReloadConfig())).isInstanceOf(ProcessMessage.Failed.class);

            assertThat(session.exec("touch mark")).isInstanceOf(ProcessMessage.Failed.class);
            assertThat(session.workspace().resolve("mark")).doesNotExist();
        }
    }

    @Test
    void aReloadReadsTheEffectiveProfileOnce() {
        try (Installation installation = Installation.shared(Account.available().getFirst())) {
            Session session = new Session(installation, installation.create());
            // With everything running that takes something from the profile.
            assertThat(session.ask(new ServiceMessage.GetTools())).isInstanceOf(ProcessMessage.Tools.class);
            session.reload(ALLOW);
            session.write(rule("no_marks", "process.exec.command.startsWith(\"touch\")", "block", 10), ALLOW);

            try (CountedFile profile = new CountedFile(session.directory().resolve(EffectiveJson.FILE))) {
                assertThat(session.ask(new ServiceMessage.ReloadConfig())).isInstanceOf(ProcessMessage.Reloaded.class);
                assertThat(session.exec("touch mark")).isInstanceOf(ProcessMessage.Failed.class);

                assertThat(profile.readers()).isEqualTo(1);
            }
        }
    }

    @Test
    void aQuestionHoldsTheCommandUntilItIsAnswered() throws ExecutionException, InterruptedException {
        try (Installation installation = Installation.shared(Account.available().getFirst());
                TaskScope scope = new TaskScope("test", (thread, failure) -> {})) {
            Session session = new Session(installation, installation.create());
            session.reload(rule("ask_marks", "process.exec.command.startsWith(\"touch\")", "ask", 10), ALLOW);
            try (IpcConnection<ProcessMessage, ServiceMessage> desk = session.connect()) {
                desk.send(new ServiceMessage.Attend());
                // The desk is open once another operation was served after it was asked for.
                session.ask(new ServiceMessage.GetStatus());

                Future<ProcessMessage> denied = scope.fork(() -> session.exec("touch denied"));
                ProcessMessage.Question first = question(desk);
                assertThat(first.subject()).isEqualTo("touch denied");
                assertThat(first.suggestion())
                        .hasValueSatisfying(
                                toml -> assertThat(toml).contains("process.exec.command == \"touch denied\""));
                assertThat(denied.isDone()).isFalse();
                desk.send(new ServiceMessage.Reply(first.id(), false, "once", "test"));
                assertThat(denied.get()).isInstanceOf(ProcessMessage.Failed.class);

                Future<ProcessMessage> approved = scope.fork(() -> session.exec("touch approved"));
                desk.send(new ServiceMessage.Reply(question(desk).id(), true, "once", "test"));
                assertThat(approved.get()).isInstanceOf(ProcessMessage.Exited.class);
            }
            assertThat(session.workspace().resolve("denied")).doesNotExist();
            assertThat(session.workspace().resolve("approved")).exists();
            awaitEquals(List.of("denied: denied by test (test)", "approved by test (once)"), session::confirmations);
        }
    }

    /// The database is written in batches, a moment later.
    private static <T> void awaitEquals(T expected, Supplier<T> found) throws InterruptedException {
        long until = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!found.get().equals(expected) && System.nanoTime() < until) {
            Thread.sleep(50);
        }
        assertThat(found.get()).isEqualTo(expected);
    }

    private static ProcessMessage.Question question(IpcConnection<ProcessMessage, ServiceMessage> desk) {
        while (true) {
            if (desk.receive().orElseThrow() instanceof ProcessMessage.Question question) {
                return question;
            }
        }
    }

    private static String rule(String name, String condition, String decision, int priority) {
        return """
                [security.rules.process.%s]
                on = "process.exec"
                if = '''%s'''
                decision = "%s"
                priority = %d
                """.formatted(name, condition, decision, priority);
    }

    /// A sandbox as its service sees it.
    private static final class Session {
        private final Installation installation;
        private final String id;

        Session(Installation installation, String id) {
            this.installation = installation;
            this.id = id;
        }

        Path directory() {
            return installation.home().resolve("run/sessions").resolve(id);
        }

        Path workspace() {
            return directory().resolve("workspace");
        }

        IpcConnection<ProcessMessage, ServiceMessage> connect() {
            HomeLayout layout =
                    HomeLayout.of(installation.environment(), installation.userDirectory(), Path.of("/tmp"));
            return IpcConnection.connect(layout.instanceSocket(new SandboxId(id)), "test");
        }

        ProcessMessage ask(ServiceMessage request) {
            try (IpcConnection<ProcessMessage, ServiceMessage> connection = connect()) {
                connection.send(request);
                return connection.receive().orElseThrow();
            }
        }

        void reload(String... tables) {
            write(tables);
            assertThat(ask(new ServiceMessage.ReloadConfig()))
                    .isInstanceOfSatisfying(
                            ProcessMessage.Reloaded.class,
                            reloaded -> assertThat(reloaded.rules()).isEqualTo(tables.length));
        }

        void write(String... tables) {
            SortedMap<String, OwnedEntry> entries = new TreeMap<>();
            // The service attends as well, and nobody watches there.
            Place top = new Place("e2e.toml", 1, 1);
            entries.put(
                    Setting.UNWATCHED.path(),
                    new OwnedEntry(
                            new SettingEntry(Setting.UNWATCHED, "wait", top),
                            new Provenance(Layer.USER, ProfileId.DEFAULT, top, false, Optional.empty())));
            int line = 1;
            for (String table : tables) {
                Place place = new Place("e2e.toml", line, 1);
                RuleId rule = new RuleId(table.substring(1, table.indexOf(']')));
                entries.put(
                        rule.value(),
                        new OwnedEntry(
                                new RuleEntry(
                                        rule, Optional.empty(), Optional.empty(), 1, Optional.empty(), table, place),
                                new Provenance(Layer.USER, ProfileId.DEFAULT, place, false, Optional.empty())));
                line += (int) table.lines().count();
            }
            SessionProfile.write(
                    directory(),
                    new EffectiveProfile(
                            ProfileId.DEFAULT,
                            "e2e",
                            List.of(),
                            entries,
                            Map.of(),
                            new TreeSet<>(),
                            List.of(),
                            List.of()));
        }

        /// What the command came to: `Exited` or `Failed`.
        ProcessMessage exec(String line) {
            try (IpcConnection<ProcessMessage, ServiceMessage> connection = connect()) {
                connection.send(new ServiceMessage.Exec(
                        new ExecRequest.Command.Shell(line),
                        "",
                        Map.of(),
                        false,
                        Optional.empty(),
                        Optional.empty(),
                        "api",
                        Optional.empty(),
                        0));
                while (true) {
                    ProcessMessage message = connection.receive().orElseThrow();
                    if (message instanceof ProcessMessage.Exited || message instanceof ProcessMessage.Failed) {
                        return message;
                    }
                }
            }
        }

        /// How many commands that no_marks blocked are on record. History has them as commands that did not run.
        long blocked() {
            assertThat(query("SELECT command FROM exec_events WHERE command LIKE 'touch%'"
                            + " AND (exit_code <> 126 OR pid IS NOT NULL)"))
                    .isEmpty();
            return query("SELECT e.event_id FROM security_events e"
                            + " JOIN security_event_steps s ON s.event_id = e.event_id"
                            + " WHERE e.event_type = 'process.exec' AND e.final_action = 'block'"
                            + " AND s.rule_id = 'security.rules.process.no_marks'")
                    .size();
        }

        List<String> confirmations() {
            return query("SELECT message FROM security_event_steps WHERE kind = 'confirm' ORDER BY id");
        }

        private List<String> query(String sql) {
            List<String> values = new ArrayList<>();
            try (Connection database = DriverManager.getConnection(
                            "jdbc:sqlite:" + directory().resolve("session.db"));
                    Statement statement = database.createStatement();
                    ResultSet rows = statement.executeQuery(sql)) {
                while (rows.next()) {
                    values.add(rows.getString(1));
                }
            } catch (SQLException failed) {
                throw new IllegalStateException(failed);
            }
            return values;
        }
    }
}
