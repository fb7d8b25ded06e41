package dev.capsem.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.http.HttpAnswer;
import dev.capsem.service.FakeHost;
import dev.capsem.service.approvals.Approvals;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.wire.ipc.ProcessMessage;
import dev.capsem.wire.ipc.ServiceMessage;
import dev.capsem.wire.service.ServiceError;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class ApprovalsTest {
    private static final String SUGGESTION = """
            [security.rules.http.allow_example_org]
            on = "http.request"
            if = 'http.request.host == "example.org"'
            decision = "allow"
            priority = 999
            """;

    @TempDir
    private Path home = Path.of("replaced by JUnit");

    private Optional<ServiceOfTest> opened = Optional.empty();

    private Calls calls() {
        return opened.orElseThrow().calls();
    }

    @BeforeEach
    void start() {
        opened = Optional.of(new ServiceOfTest(home));
        TestService _ = opened.orElseThrow().service().begin();
        calls().post("/provision", "{\"name\":\"lab\",\"persistent\":true}");
    }

    @AfterEach
    void stop() {
        opened.orElseThrow().close();
    }

    private static ProcessMessage.Question question(String id, Optional<String> suggestion) {
        return question(id, suggestion, true);
    }

    private static ProcessMessage.Question question(String id, Optional<String> suggestion, boolean waits) {
        long now = FakeHost.NOW.toEpochMilli();
        return new ProcessMessage.Question(
                id,
                "http.request",
                "security.rules.http.unknown_hosts",
                Optional.of("this host is not in the profile"),
                "GET https://example.org/",
                Optional.of("curl"),
                suggestion,
                now,
                now + 120_000,
                List.of(new ProcessMessage.Detail("query", "a=b")),
                new ProcessMessage.Covers(
                        "this request only", "every GET of https://example.org", Optional.of("every request")),
                waits);
    }

    private void askNow(String id) {
        ask(question(id, Optional.of(SUGGESTION), false));
    }

    private List<ServiceMessage.Unwatched> unwatched() {
        return opened.orElseThrow().fake().processes().received().stream()
                .filter(ServiceMessage.Unwatched.class::isInstance)
                .map(ServiceMessage.Unwatched.class::cast)
                .toList();
    }

    /// A subscriber of the stream; interrupt it to make it leave.
    private Thread watch(String query) throws InterruptedException {
        BlockingQueue<String> seen = new LinkedBlockingQueue<>();
        HttpAnswer.Stream stream = (HttpAnswer.Stream) calls().call("GET", "/confirm/stream" + query, "");
        Thread watcher = Thread.ofVirtual()
                .start(() -> stream.producer().produce(bytes -> seen.add(new String(bytes, StandardCharsets.UTF_8))));
        assertThat(seen.poll(20, TimeUnit.SECONDS)).startsWith("event: snapshot");
        return watcher;
    }

    private void ask(String id) {
        ask(question(id, Optional.of(SUGGESTION)));
    }

    private void ask(ProcessMessage.Question question) {
        assertThat(opened.orElseThrow().fake().processes().say("lab", question)).isTrue();
    }

    private static void await(BooleanSupplier condition) {
        long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("in time").isLessThan(end);
            try {
                Thread.sleep(5);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private List<JsonNode> waiting() {
        return calls().get("/confirm/pending").path("pending").valueStream().toList();
    }

    private JsonNode only() {
        await(() -> waiting().size() == 1);
        return waiting().getFirst();
    }

    private List<ServiceMessage.Reply> replies() {
        return opened.orElseThrow().fake().processes().received().stream()
                .filter(ServiceMessage.Reply.class::isInstance)
                .map(ServiceMessage.Reply.class::cast)
                .toList();
    }

    @Test
    void aQuestionWaitsUntilAPersonAnswers() {
        ask("q1");

        JsonNode row = only();
        assertThat(row.path("sandbox").asString()).isEqualTo("lab");
        assertThat(row.path("event_type").asString()).isEqualTo("http.request");
        assertThat(row.path("rule").asString()).isEqualTo("security.rules.http.unknown_hosts");
        assertThat(row.path("subject").asString()).isEqualTo("GET https://example.org/");
        assertThat(row.path("process_name").asString()).isEqualTo("curl");
        assertThat(row.path("asked_at").asString()).isEqualTo("2026-03-04T05:06:07Z");
        assertThat(row.path("deadline").asString()).isEqualTo("2026-03-04T05:08:07Z");
        assertThat(row.path("scopes").toString()).isEqualTo("[\"once\",\"session\",\"always\"]");
        assertThat(row.path("details").toString()).isEqualTo("[{\"name\":\"query\",\"text\":\"a=b\"}]");
        assertThat(row.path("covers").toString())
                .isEqualTo("{\"once\":\"this request only\",\"session\":\"every GET of https://example.org\","
                        + "\"always\":\"every request\"}");

        String id = row.path("id").asString();
        JsonNode reply = calls().post("/confirm/" + id, "{\"decision\":\"approve\",\"scope\":\"session\"}");

        assertThat(reply.toString())
                .isEqualTo("{\"id\":\"" + id + "\",\"outcome\":\"approved\",\"scope\":\"session\",\"by\":\"tester\"}");
        assertThat(replies()).containsExactly(new ServiceMessage.Reply("q1", true, "session", "tester"));
        assertThat(waiting()).isEmpty();
        calls().refused(ServiceProblem.Code.QUESTION_OVER, "POST", "/confirm/" + id, "{\"decision\":\"deny\"}");
        calls().refused(ServiceProblem.Code.QUESTION_NOT_FOUND, "POST", "/confirm/ask-0", "{\"decision\":\"deny\"}");
    }

    @Test
    void denyReachesTheProcess() {
        ask("q1");

        JsonNode reply =
                calls().post("/confirm/" + only().path("id").asString(), "{\"decision\":\"deny\",\"by\":\"Kim\"}");

        assertThat(reply.path("outcome").asString()).isEqualTo("denied");
        assertThat(replies()).containsExactly(new ServiceMessage.Reply("q1", false, "once", "Kim"));
    }

    @Test
    void alwaysWritesARuleOfThePersonsOwnAndPutsItInForce() throws IOException {
        opened.orElseThrow().fake().processes().prepareWith(SUGGESTION, Optional.empty());
        ask("q1");

        JsonNode reply = calls().post(
                        "/confirm/" + only().path("id").asString(), "{\"decision\":\"approve\",\"scope\":\"always\"}");

        JsonNode written = reply.path("rule_written");
        assertThat(written.path("id").asString()).isEqualTo("security.rules.http.allow_example_org");
        assertThat(Files.readString(Path.of(written.path("file").asString()))).contains(SUGGESTION.strip());
        assertThat(Files.readString(home.resolve("run/persistent/lab/effective-profile.json")))
                .contains("security.rules.http.allow_example_org");
        assertThat(opened.orElseThrow().fake().processes().received()).contains(new ServiceMessage.ReloadConfig());
        assertThat(replies()).containsExactly(new ServiceMessage.Reply("q1", true, "always", "tester"));
    }

    @Test
    void alwaysIsAskedAgainWithTheAddressBeforeItOpensOnesOwnNetwork() throws IOException {
        String rule = SUGGESTION.replace(
                "\"example.org\"'",
                "\"example.org\" && (!has(http.request.address_class) || http.request.address_class == \"loopback\")'");
        opened.orElseThrow().fake().processes().prepareWith(rule, Optional.of("127.0.0.1 (loopback)"));
        ask("q1");
        String first = only().path("id").asString();
        String always = "{\"decision\":\"approve\",\"scope\":\"always\"}";

        ServiceError refusal = calls().refused(ServiceProblem.Code.LEADS_INSIDE, "POST", "/confirm/" + first, always);

        assertThat(refusal.error()).contains("127.0.0.1 (loopback)");
        assertThat(replies()).isEmpty();
        assertThat(home.resolve("profiles/coding.toml")).doesNotExist();
        JsonNode again = only();
        assertThat(again.path("id").asString()).isNotEqualTo(first);
        assertThat(again.path("reason").asString()).contains("it leads to 127.0.0.1 (loopback)");
        calls().refused(ServiceProblem.Code.QUESTION_OVER, "POST", "/confirm/" + first, always);

        JsonNode reply = calls().post("/confirm/" + again.path("id").asString(), always);

        assertThat(Files.readString(
                        Path.of(reply.path("rule_written").path("file").asString())))
                .contains(rule.strip());
        assertThat(replies()).containsExactly(new ServiceMessage.Reply("q1", true, "always", "tester"));
    }

    @Test
    void alwaysSaysWhyNoRuleWouldLetItThroughAndTheQuestionWaitsOn() {
        ask("q1");
        String id = only().path("id").asString();

        ServiceError refusal = calls().refused(
                        ServiceProblem.Code.NOT_EDITABLE,
                        "POST",
                        "/confirm/" + id,
                        "{\"decision\":\"approve\",\"scope\":\"always\"}");

        assertThat(refusal.error()).contains("nothing allows it");
        assertThat(replies()).isEmpty();
        assertThat(only().path("id").asString()).isEqualTo(id);
    }

    @Test
    void whatNoRuleOfThePersonsCanAllowIsNotAllowedForAlways() {
        ask(question("q1", Optional.empty()));
        JsonNode row = only();
        String id = row.path("id").asString();

        assertThat(row.path("scopes").toString()).isEqualTo("[\"once\",\"session\"]");
        ServiceError refusal = calls().refused(
                        ServiceProblem.Code.NOT_EDITABLE,
                        "POST",
                        "/confirm/" + id,
                        "{\"decision\":\"approve\",\"scope\":\"always\"}");
        assertThat(refusal.remedy()).isNotBlank();
        assertThat(replies()).isEmpty();

        calls().post("/confirm/" + id, "{\"decision\":\"approve\"}");
        assertThat(replies()).containsExactly(new ServiceMessage.Reply("q1", true, "once", "tester"));
    }

    @Test
    void aQuestionThatNobodyWatchesIsRefusedAtOnce() throws InterruptedException {
        calls().post("/provision", "{\"name\":\"other\",\"persistent\":true}");
        Thread elsewhere = watch("?sandbox=other");
        Thread teller = watch("?answers=false");
        try {
            askNow("q1");

            await(() -> unwatched().equals(List.of(new ServiceMessage.Unwatched("q1"))));
            assertThat(waiting()).isEmpty();
            assertThat(replies()).isEmpty();
        } finally {
            elsewhere.interrupt();
            teller.interrupt();
            elsewhere.join();
            teller.join();
        }
    }

    @Test
    void aProfileMayLetItsQuestionsWaitForSomebody() {
        ask("q1");

        assertThat(only().path("id").asString()).startsWith("ask-");
        assertThat(unwatched()).isEmpty();
    }

    @Test
    void whoWatchesTheSandboxKeepsItsQuestionUntilTheyLeave() throws InterruptedException {
        Thread watcher = watch("?sandbox=lab");
        askNow("q1");
        assertThat(only().path("id").asString()).startsWith("ask-");
        assertThat(unwatched()).isEmpty();

        watcher.interrupt();
        watcher.join();

        await(() -> unwatched().equals(List.of(new ServiceMessage.Unwatched("q1"))));
        assertThat(opened.orElseThrow().fake().processes().say("lab", new ProcessMessage.QuestionOver("q1", "nobody")))
                .isTrue();
        await(() -> waiting().isEmpty());
    }

    @Test
    void aWatcherWhoComesBackFindsTheQuestionStillThere() throws InterruptedException {
        Thread first = watch("");
        askNow("q1");
        only();
        Thread second = watch("");
        try {
            first.interrupt();
            first.join();
            // Long after the grace: the second watcher keeps it.
            Thread.sleep(1_000);

            assertThat(unwatched()).isEmpty();
            assertThat(waiting()).hasSize(1);
        } finally {
            second.interrupt();
            second.join();
        }
    }

    @Test
    void aStreamOfNoSandboxIsRefused() {
        calls().refused(ServiceProblem.Code.SANDBOX_NOT_FOUND, "GET", "/confirm/stream?sandbox=nowhere", "");
        calls().refused(ServiceProblem.Code.WRONG_SHAPE, "GET", "/confirm/stream?answers=perhaps", "");
    }

    @Test
    void whatIsOverIsToldToWhoWatches() throws InterruptedException {
        BlockingQueue<String> seen = new LinkedBlockingQueue<>();
        Thread watcher = Thread.ofVirtual()
                .start(() -> ((HttpAnswer.Stream) calls().call("GET", "/confirm/stream", ""))
                        .producer()
                        .produce(bytes -> seen.add(new String(bytes, StandardCharsets.UTF_8))));
        try {
            assertThat(seen.poll(20, TimeUnit.SECONDS)).isEqualTo("event: snapshot\ndata: {\"pending\":[]}\n\n");
            ask("q1");
            assertThat(seen.poll(20, TimeUnit.SECONDS)).startsWith("event: pending\ndata: {\"id\":\"ask-");
            String id = only().path("id").asString();
            assertThat(opened.orElseThrow()
                            .fake()
                            .processes()
                            .say("lab", new ProcessMessage.QuestionOver("q1", "timed_out")))
                    .isTrue();
            assertThat(seen.poll(20, TimeUnit.SECONDS))
                    .isEqualTo("event: resolved\ndata: {\"id\":\"" + id
                            + "\",\"sandbox\":\"lab\",\"outcome\":\"timed_out\"}\n\n");
            calls().refused(ServiceProblem.Code.QUESTION_OVER, "POST", "/confirm/" + id, "{\"decision\":\"approve\"}");
        } finally {
            watcher.interrupt();
            watcher.join();
        }
        assertThat(replies()).isEmpty();
    }

    @Test
    void aLostConnectionWithdrawsItsQuestionsAndIsOpenedAgain() {
        ask("q1");
        String id = only().path("id").asString();

        opened.orElseThrow().fake().processes().loseAttendance();

        await(() -> waiting().isEmpty());
        calls().refused(ServiceProblem.Code.QUESTION_OVER, "POST", "/confirm/" + id, "{\"decision\":\"approve\"}");
        await(() -> opened.orElseThrow().fake().processes().say("lab", question("q2", Optional.empty())));
        assertThat(only().path("id").asString()).isNotEqualTo(id);
    }

    @Test
    void aFullQueueRefusesAtOnce() {
        for (int i = 0; i < Approvals.CAPACITY; i++) {
            ask("q" + i);
        }
        await(() -> waiting().size() == Approvals.CAPACITY);

        ask("one more");

        await(() -> !replies().isEmpty());
        assertThat(replies())
                .containsExactly(new ServiceMessage.Reply("one more", false, "once", "capsem-service: queue full"));
        assertThat(calls().get("/confirm/pending").path("capacity").asInt()).isEqualTo(Approvals.CAPACITY);
    }

    @Test
    void anAnswerIsCheckedBeforeAnythingHappens() {
        ask("q1");
        String path = "/confirm/" + only().path("id").asString();

        for (String body :
                List.of("{}", "{\"decision\":\"maybe\"}", "{\"decision\":\"approve\",\"scope\":\"forever\"}")) {
            calls().refused(ServiceProblem.Code.WRONG_SHAPE, "POST", path, body);
        }
        calls().refused(
                        ServiceProblem.Code.WRONG_SHAPE,
                        "POST",
                        path,
                        "{\"decision\":\"approve\",\"by\":\"a\\u001bb\"}");
        assertThat(waiting()).hasSize(1);
    }
}
