package dev.capsem.cli.approvals;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.cli.CliHarness;
import dev.capsem.cli.CliHarness.Outcome;
import dev.capsem.cli.Golden;
import dev.capsem.cli.screen.Ink;
import dev.capsem.cli.screen.RawTerminal;
import dev.capsem.cli.screen.Screen;
import dev.capsem.client.ApprovalFeed.Change;
import dev.capsem.client.ApprovalQuestion;
import dev.capsem.client.GuestCommand.Event;
import dev.capsem.testkit.service.FakeService;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.service.ServiceError;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ApprovalsTest {
    private static final RawTerminal.Size SIZE = new RawTerminal.Size(24, 60);
    private static final Instant NOW = Instant.parse("2026-01-31T12:00:00Z");

    private final CliHarness cli = new CliHarness();
    private final FakeService service = cli.service;
    private final Program program = new Program();

    ApprovalsTest() {
        cli.environment.put("TERM", "xterm");
    }

    /// What the guest's program was given.
    private static final class Program implements ApprovalPrompt.GuestProgram {
        private final ByteArrayOutputStream typed = new ByteArrayOutputStream();

        @Override
        public void input(byte[] keys, int length) {
            typed.write(keys, 0, length);
        }

        @Override
        public void redraw() {}

        String typed() {
            return typed.toString(StandardCharsets.UTF_8);
        }
    }

    private static boolean type(ApprovalPrompt attendance, String keys) {
        byte[] bytes = keys.getBytes(StandardCharsets.UTF_8);
        return attendance.take(bytes, bytes.length);
    }

    private static ApprovalQuestion question(String id, String sandbox, String subject) {
        return new ApprovalQuestion(
                id,
                sandbox,
                "http.request",
                "security.rules.http.unknown_hosts",
                Optional.of("unknown hosts ask"),
                subject,
                Optional.of("curl"),
                NOW.plusSeconds(90),
                List.of("once", "session"),
                List.of(new ApprovalQuestion.Detail("query", "a=b")),
                Map.of("once", "this request only", "session", "every GET of https://example.org"));
    }

    @Test
    void theBoxHoldsWhatAGuestSaysInItsLines() {
        var box = new QuestionBox(new Ink(false), 60);

        List<String> lines =
                box.lines(question("q1", "lab", "GET https://evil\u001b[2J\n┘ " + "x".repeat(200)), 2, NOW);

        assertThat(lines).allSatisfy(line -> assertThat(line).hasSize(60).doesNotContain("\u001b"));
        Golden.check("question.txt", String.join("\n", lines) + "\n");
    }

    @Test
    void pendingQuestionsAreListed() {
        service.answers.put(
                "GET /confirm/pending",
                "{\"capacity\":100,\"pending\":["
                        + Json.text(question("q1", "lab", "GET https://a/").toJson()) + "]}");

        Outcome outcome = cli.run("approvals");

        assertThat(outcome.out()).isEqualTo("""
                ID  SANDBOX  LEFT  WHAT            RULE
                q1  lab      90 s  GET https://a/  security.rules.http.unknown_hosts
                """);
        assertThat(cli.run("approvals", "-q").out()).isEqualTo("q1\n");
    }

    @Test
    void answersCarryDecisionScopeAndWho() {
        cli.environment.put("USER", "me");
        service.answers.put(
                "POST /confirm/q1",
                "{\"id\":\"q1\",\"outcome\":\"approved\",\"rule_written\":{\"id\":\"security.rules.http.a\",\"file\":\"coding.toml\"}}");

        assertThat(cli.run("approvals", "approve", "q1", "--scope", "always").out())
                .isEqualTo("approved, always\n  rule security.rules.http.a in coding.toml\n");
        assertThat(cli.run("approvals", "deny", "q1").out()).isEqualTo("denied\n");
        assertThat(Json.text(service.bodies.get(0)))
                .isEqualTo("{\"decision\":\"approve\",\"scope\":\"always\",\"by\":\"cli me\"}");
        assertThat(Json.text(service.bodies.get(1))).isEqualTo("{\"decision\":\"deny\",\"by\":\"cli me\"}");
    }

    @Test
    void aScopeThatDoesNotExistIsAUsageMistake() {
        assertThat(cli.run("approvals", "approve", "q1", "--scope", "forever").exitCode())
                .isEqualTo(2);
    }

    @Test
    void watchingTellsEveryChange() {
        service.changes.add(Optional.of(new Change.Snapshot(List.of())));
        service.changes.add(Optional.of(new Change.Asked(question("q1", "lab", "GET https://a/"))));
        service.changes.add(
                Optional.of(new Change.Resolved("q1", "lab", "timed_out", Optional.empty(), Optional.empty())));
        service.changes.add(Optional.empty());

        Outcome outcome = cli.run("approvals", "--watch");

        assertThat(outcome.out())
                .isEqualTo("q1  lab  GET https://a/  90 s left  (security.rules.http.unknown_hosts)\nq1  timed out\n");
    }

    @Test
    void watchingInJsonIsOneLinePerChange() {
        service.changes.add(Optional.of(new Change.Asked(question("q1", "lab", "GET https://a/"))));
        service.changes.add(Optional.empty());

        Outcome outcome = cli.run("approvals", "--watch", "--json");

        assertThat(Json.parse(outcome.out()).path("event").asString()).isEqualTo("pending");
        assertThat(Json.parse(outcome.out()).path("id").asString()).isEqualTo("q1");
    }

    @Test
    void withoutATerminalOneLineSaysHowToAnswer() throws InterruptedException {
        var err = new ByteArrayOutputStream();
        var context = cli.context(new ByteArrayOutputStream(), err);
        service.changes.add(Optional.of(new Change.Asked(question("q0", "other", "GET https://b/"))));
        service.changes.add(Optional.of(new Change.Asked(question("q1", "lab", "GET https://a/"))));
        service.changes.add(
                Optional.of(new Change.Resolved("q1", "lab", "denied", Optional.empty(), Optional.of("web"))));
        service.changes.add(Optional.empty());

        try (ApprovalPrompt attendance = ApprovalPrompt.beside(context, "lab")) {
            assertThat(attendance.awaitEnd()).isTrue();
        }

        assertThat(err.toString(StandardCharsets.UTF_8)).isEqualTo("""
                capsem: waits for an answer, 90 s: GET https://a/ (security.rules.http.unknown_hosts); \
                in another terminal: capsem approvals approve q1
                capsem: denied, by web: GET https://a/
                """);
    }

    @Test
    void onATerminalKeysAnswerAndOutputWaits() throws InterruptedException {
        var out = new ByteArrayOutputStream();
        var time = new MutableTime();
        cli.clock = time;
        var context = cli.context(out, new ByteArrayOutputStream());
        service.answers.put("POST /confirm/q1", "{}");
        try (ApprovalPrompt attendance =
                ApprovalPrompt.onTerminal(context, WatchedFeed.of(service, "lab"), () -> SIZE, program)) {
            assertThat(attendance.take(new byte[] {'o'}, 1)).isFalse();
            service.changes.add(Optional.of(new Change.Asked(question("q1", "lab", "GET https://a/"))));
            await(out, "[o]nce");

            attendance.write(context.screen().out(), "guest".getBytes(StandardCharsets.UTF_8));
            assertThat(out.toString(StandardCharsets.UTF_8)).doesNotContain("guest");
            assertThat(attendance.take(new byte[] {'o'}, 1)).isTrue();
            assertThat(service.calls).isEmpty();
            time.now = time.now.plus(Duration.ofSeconds(2));
            assertThat(attendance.take(new byte[] {'o'}, 1)).isTrue();

            assertThat(service.calls).containsExactly("POST /confirm/q1");
            assertThat(out.toString(StandardCharsets.UTF_8)).endsWith("guest");
            assertThat(attendance.take(new byte[] {'o'}, 1)).isFalse();
        }
    }

    /// A guest takes its harmless question back in the moment in which a person answers it, and asks another.
    @Test
    void aQuestionThatTakesThePlaceOfAnotherIsNotAnsweredByItsKey() throws InterruptedException {
        var out = new ByteArrayOutputStream();
        var time = new MutableTime();
        cli.clock = time;
        service.answers.put("POST /confirm/q2", "{}");
        try (ApprovalPrompt attendance = ApprovalPrompt.onTerminal(
                cli.context(out, new ByteArrayOutputStream()), WatchedFeed.of(service, "lab"), () -> SIZE, program)) {
            service.changes.add(Optional.of(new Change.Asked(question("q1", "lab", "GET https://harmless/"))));
            await(out, "harmless");
            time.now = time.now.plus(Duration.ofSeconds(3));
            service.changes.add(
                    Optional.of(new Change.Resolved("q1", "lab", "withdrawn", Optional.empty(), Optional.empty())));
            service.changes.add(Optional.of(new Change.Asked(question("q2", "lab", "POST https://evil/"))));
            await(out, "ANOTHER QUESTION");

            time.now = time.now.plus(Duration.ofMillis(1_500));
            assertThat(type(attendance, "o")).isTrue();
            assertThat(service.calls).as("who was about to answer the first").isEmpty();
            time.now = time.now.plus(Duration.ofSeconds(3));
            assertThat(type(attendance, "o")).isTrue();
            assertThat(service.calls).containsExactly("POST /confirm/q2");
        }
    }

    /// The last letters say whose host it is.
    @ParameterizedTest
    @ValueSource(ints = {24, 40, 60, 90, 200})
    void theBoxShowsTheWholeNameOfAHost(int columns) {
        String host = "github.com." + "a23456789.".repeat(23) + "evil.test";

        String shown = box(columns, "POST https://" + host + "/");

        assertThat(shown.replaceAll("[│ \\n]", "")).contains("POSThttps://" + host + "/");
    }

    /// What is harmless stands first.
    @Test
    void ofWhatIsTooLongTheBoxShowsBothEnds() {
        ApprovalQuestion tooLong = question("q1", "lab", "tools call")
                .noting(new ApprovalQuestion.Detail(
                        "arguments", "{\"a\":\"" + "x".repeat(2_000) + "\",\"path\":\"/etc\"}"));

        List<String> lines = new QuestionBox(new Ink(false), 80).lines(tooLong, 0, NOW);

        assertThat(String.join("", lines).replaceAll("[│ ]", "")).contains("{\"a\":\"xxx", "…", "\"path\":\"/etc\"}");
        assertThat(lines).allSatisfy(line -> assertThat(line).hasSize(80));
    }

    private static String box(int columns, String subject) {
        return String.join(
                "\n", new QuestionBox(new Ink(false), columns).lines(question("q1", "lab", subject), 0, NOW));
    }

    @Test
    void onATerminalSomebodyIsThereToAskBeforeTheCommandStarts() {
        cli.terminals = new Screen.Terminals(true, true, true);
        service.events.add(new Event.Exited(0, Optional.empty()));

        assertThat(cli.run("exec", "lab", "true").exitCode()).isZero();

        assertThat(service.feedsAtStart).containsExactly("lab");
    }

    @Test
    void aCommandThatEndsTakesItsQuestionAlong() throws InterruptedException {
        var out = new ByteArrayOutputStream();
        var context = cli.context(out, new ByteArrayOutputStream());
        ApprovalPrompt attendance =
                ApprovalPrompt.onTerminal(context, WatchedFeed.of(service, "lab"), () -> SIZE, program);
        service.changes.add(Optional.of(new Change.Asked(question("q1", "lab", "GET https://a/"))));
        await(out, "[o]nce");
        attendance.write(context.screen().out(), "last words".getBytes(StandardCharsets.UTF_8));

        attendance.close();

        assertThat(out.toString(StandardCharsets.UTF_8)).endsWith("last words");
        assertThat(service.calls).isEmpty();
    }

    @Test
    void whatIsTypedWhileAQuestionIsUpIsForTheProgramAfterwards() throws InterruptedException {
        var out = new ByteArrayOutputStream();
        var time = new MutableTime();
        cli.clock = time;
        service.answers.put("POST /confirm/q1", "{}");
        try (ApprovalPrompt attendance = ApprovalPrompt.onTerminal(
                cli.context(out, new ByteArrayOutputStream()), WatchedFeed.of(service, "lab"), () -> SIZE, program)) {
            service.changes.add(Optional.of(new Change.Asked(question("q1", "lab", "GET https://a/"))));
            await(out, "[o]nce");

            for (String key : List.of("d", "o", " i", "t", "\r")) {
                assertThat(type(attendance, key)).isTrue();
            }
            assertThat(program.typed()).isEmpty();
            assertThat(service.calls).isEmpty();
            time.now = time.now.plus(Duration.ofSeconds(2));
            assertThat(type(attendance, "o")).isTrue();

            assertThat(service.calls).containsExactly("POST /confirm/q1");
            assertThat(program.typed()).isEqualTo("do it\r");
        }
    }

    @Test
    void keysAreForTheProgramAlsoWhenTheQuestionEndsByItself() throws InterruptedException {
        var out = new ByteArrayOutputStream();
        try (ApprovalPrompt attendance = ApprovalPrompt.onTerminal(
                cli.context(out, new ByteArrayOutputStream()), WatchedFeed.of(service, "lab"), () -> SIZE, program)) {
            service.changes.add(Optional.of(new Change.Asked(question("q1", "lab", "GET https://a/"))));
            await(out, "[o]nce");
            assertThat(type(attendance, "make")).isTrue();

            service.changes.add(
                    Optional.of(new Change.Resolved("q1", "lab", "withdrawn", Optional.empty(), Optional.empty())));

            await(program.typed, "make");
        }
    }

    @Test
    void controlCDeniesAllThatWaitsAndReachesTheProgram() throws InterruptedException {
        var out = new ByteArrayOutputStream();
        service.answers.put("POST /confirm/q1", "{}");
        service.answers.put("POST /confirm/q2", "{}");
        try (ApprovalPrompt attendance = ApprovalPrompt.onTerminal(
                cli.context(out, new ByteArrayOutputStream()), WatchedFeed.of(service, "lab"), () -> SIZE, program)) {
            service.changes.add(Optional.of(new Change.Snapshot(
                    List.of(question("q1", "lab", "GET https://a/"), question("q2", "lab", "GET https://b/")))));
            await(out, "1 more waiting");
            assertThat(type(attendance, "typed before")).isTrue();

            assertThat(type(attendance, "\u0003")).isFalse();

            assertThat(service.calls).containsExactly("POST /confirm/q1", "POST /confirm/q2");
            assertThat(service.bodies)
                    .allSatisfy(
                            body -> assertThat(body.path("decision").asString()).isEqualTo("deny"));
            assertThat(program.typed()).isEmpty();
            assertThat(type(attendance, "x")).isFalse();
        }
    }

    @Test
    void aDumbTerminalGetsPlainLines() throws InterruptedException {
        cli.environment.put("TERM", "dumb");
        var out = new ByteArrayOutputStream();
        var time = new MutableTime();
        cli.clock = time;
        service.answers.put("POST /confirm/q1", "{}");
        try (ApprovalPrompt attendance = ApprovalPrompt.onTerminal(
                cli.context(out, new ByteArrayOutputStream()),
                WatchedFeed.of(service, "lab"),
                () -> RawTerminal.Size.USUAL,
                program)) {
            service.changes.add(Optional.of(new Change.Asked(question("q1", "lab", "GET https://a/"))));
            await(out, "┘\r\n");
            time.now = time.now.plus(Duration.ofSeconds(2));
            assertThat(type(attendance, "d")).isTrue();

            assertThat(service.calls).containsExactly("POST /confirm/q1");
            assertThat(out.toString(StandardCharsets.UTF_8))
                    .contains("→ denied")
                    .doesNotContain("\u001b");
        }
    }

    @Test
    void nothingIsApprovedWhereTheQuestionCannotBeRead() throws InterruptedException {
        var out = new ByteArrayOutputStream();
        var time = new MutableTime();
        cli.clock = time;
        service.answers.put("POST /confirm/q1", "{}");
        var small = new RawTerminal.Size(3, 60);
        try (ApprovalPrompt attendance = ApprovalPrompt.onTerminal(
                cli.context(out, new ByteArrayOutputStream()), WatchedFeed.of(service, "lab"), () -> small, program)) {
            service.changes.add(Optional.of(new Change.Asked(question("q1", "lab", "GET https://a/"))));
            await(out, "make this window larger");
            time.now = time.now.plus(Duration.ofSeconds(2));
            assertThat(type(attendance, "o")).isTrue();
            assertThat(service.calls).isEmpty();

            time.now = time.now.plus(Duration.ofSeconds(2));
            assertThat(type(attendance, "d")).isTrue();

            assertThat(service.bodies).hasSize(1);
            assertThat(service.bodies.getFirst().path("decision").asString()).isEqualTo("deny");
        }
    }

    @Test
    void nothingIsApprovedOnADumbTerminalThatAGuestWroteSequencesTo() throws InterruptedException {
        cli.environment.put("TERM", "dumb");
        cli.terminals = new Screen.Terminals(true, true, true);
        var out = new ByteArrayOutputStream();
        var time = new MutableTime();
        cli.clock = time;
        var context = cli.context(out, new ByteArrayOutputStream());
        try (ApprovalPrompt attendance =
                ApprovalPrompt.onTerminal(context, WatchedFeed.of(service, "lab"), () -> SIZE, program)) {
            attendance.write(context.screen().out(), "\u001b[1;2r".getBytes(StandardCharsets.UTF_8));
            service.changes.add(Optional.of(new Change.Asked(question("q1", "lab", "GET https://a/"))));
            await(out, "another terminal: capsem approvals");
            time.now = time.now.plus(Duration.ofSeconds(2));

            assertThat(type(attendance, "o")).isTrue();

            assertThat(service.calls).isEmpty();
        }
    }

    @Test
    void theBoxKeepsItsShapeWithLettersOfAnyWidth() {
        var box = new QuestionBox(new Ink(false), 40);

        List<String> lines = box.lines(question("q1", "lab", "GET https://a/\u200b漢字漢字漢字漢字漢字漢字漢字"), 0, NOW);

        assertThat(lines.subList(1, 3))
                .containsExactly("│ GET https://a/\\u200b漢字漢字漢字漢字 │", "│ 漢字漢字漢字                         │");
    }

    /// The streams of a test are no terminals, whatever the screen is told.
    @Test
    void aTerminalWithoutSingleKeysSaysHowToAnswerFromAnother() throws InterruptedException {
        cli.terminals = new Screen.Terminals(true, true, true);
        var err = new ByteArrayOutputStream();
        service.changes.add(Optional.of(new Change.Snapshot(
                List.of(question("q1", "lab", "GET https://a/"), question("q2", "lab", "GET https://b/")))));
        service.changes.add(Optional.of(new Change.Asked(question("q3", "lab", "GET https://c/"))));
        service.changes.add(Optional.empty());

        try (ApprovalPrompt attendance = ApprovalPrompt.beside(cli.context(new ByteArrayOutputStream(), err), "lab")) {
            assertThat(attendance.awaitEnd()).isTrue();
        }

        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("this terminal cannot be used")
                .contains("capsem approvals approve q1")
                .contains("capsem approvals approve q2")
                .contains("capsem approvals approve q3");
    }

    @Test
    void aBlockedCommandEndsWith126() {
        service.events.add(new Event.Failed(new ServiceError(
                "blocked by security.rules.process.no_curl: no network tools", "blocked", "capsem rules why lab")));

        Outcome outcome = cli.run("exec", "lab", "curl", "x");

        assertThat(outcome.exitCode()).isEqualTo(126);
        assertThat(outcome.err()).isEqualTo("""
                capsem: blocked by security.rules.process.no_curl: no network tools [blocked]
                  → capsem rules why lab
                """);
    }

    @Test
    void aBlockedRunTellsTheWayOutBeforeItsSandboxIsGone() {
        service.events.add(new Event.Failed(new ServiceError(
                "security.rules.process.no_curl blocks this command", "blocked", "capsem rules why x")));
        service.answers.put("POST /rules/explain", """
                {"event":{"type":"process.exec","subject":"curl"},"decision":"block","considered":[],
                 "suggestion":{"toml":"[security.rules.process.allow_curl]\\n","file":"coding.toml","note":""}}
                """);

        Outcome outcome = cli.run("run", "curl", "x");

        assertThat(outcome.exitCode()).isEqualTo(126);
        assertThat(outcome.out()).isEmpty();
        assertThat(outcome.err()).isEqualTo("""
                capsem: security.rules.process.no_curl blocks this command [blocked]

                To allow this, add the rule to coding.toml:

                  [security.rules.process.allow_curl]

                  → save it as a file, then: capsem rules add FILE
                """);
        assertThat(service.calls).last().isEqualTo("delete brave-otter-tmp");
    }

    private static void await(ByteArrayOutputStream out, String text) throws InterruptedException {
        for (int i = 0; i < 6_000 && !out.toString(StandardCharsets.UTF_8).contains(text); i++) {
            Thread.sleep(10);
        }
        assertThat(out.toString(StandardCharsets.UTF_8)).contains(text);
    }

    private static final class MutableTime implements java.time.InstantSource {
        volatile Instant now = NOW;

        @Override
        public Instant instant() {
            return now;
        }
    }
}
