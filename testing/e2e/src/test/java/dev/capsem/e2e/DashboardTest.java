package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.capsem.e2e.Installation.Reply;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import tools.jackson.databind.JsonNode;

/// The dashboard in a real browser, before a real service with a real sandbox.
@Tag("e2e")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DashboardTest {
    private static final String PROFILE = """
            schema = "capsem.profile.v2"
            id = "coding"

            [approvals]
            unwatched = "wait"

            [security.rules.process.ask_marks]
            on = "process.exec"
            if = 'process.exec.command.contains("mark")'
            decision = "ask"
            priority = 50
            reason = "it leaves a mark"

            [security.rules.process.no_stamps]
            on = "process.exec"
            if = 'process.exec.command.startsWith("touch stamp")'
            decision = "block"
            priority = 50
            reason = "no stamps here"
            """;

    /// Each would leave a trace in the page if any of it were read as markup or run.
    private static final List<String> PAYLOADS = List.of(
            "<img src=x onerror=window.hacked=1>",
            "<script>window.hacked=1</script>",
            "<svg onload=window.hacked=1>",
            "\\\"><script>window.hacked=1</script>",
            "javascript:window.hacked=1",
            "<iframe srcdoc=<script>parent.hacked=1</script>>",
            "<style>*{display:none}</style>",
            "<a href=javascript:window.hacked=1>x</a>",
            "${window.hacked=1}{{window.hacked=1}}",
            "<details open ontoggle=window.hacked=1>",
            "<!--<script>window.hacked=1</script>-->",
            "<base href=//192.0.2.1/>");

    private final Installation installation = prepare();
    private final Browser browser = Browser.start();
    private String url = "";

    private static Installation prepare() {
        assumeTrue(Browser.isInstalled(), "chromium and chromium-driver are not installed");
        return Installation.prepare(Account.available().getLast());
    }

    @BeforeAll
    void start() throws IOException {
        Path profile =
                Files.createDirectories(installation.home().resolve("profiles")).resolve("coding.toml");
        Files.writeString(profile, PROFILE);
        installation.handOver(installation.home());
        assertThat(installation.capsem("service", "start").exitCode()).isZero();
        Path project = Files.createDirectories(installation.home().resolveSibling("project"));
        Files.writeString(project.resolve("a.txt"), "one\n");
        installation.handOver(project);
        installation.create("{\"name\":\"lab\",\"persistent\":true,\"project\":{\"source\":\"" + project + "\"}}");
        logIn();
    }

    private void logIn() {
        JsonNode told = installation.post("/ui", "{}").expect(200).json();
        url = told.path("url").asString();
        browser.open(told.path("link").asString());
        browser.waitFor("Inbox");
    }

    @AfterAll
    void end() {
        browser.close();
        installation.close();
    }

    @BeforeEach
    void inbox() {
        browser.open(url + "/#/inbox");
        browser.waitFor("Inbox");
    }

    private CompletableFuture<Reply> begin(String command) {
        return CompletableFuture.supplyAsync(() -> exec(command), Thread.ofVirtual()::start);
    }

    private Reply exec(String command) {
        return installation.post(
                "/exec/lab",
                Installation.JSON
                        .createObjectNode()
                        .put("command", command)
                        .put("timeout_secs", 90)
                        .toString());
    }

    private static Reply finished(CompletableFuture<Reply> command) throws Exception {
        return command.get(100, TimeUnit.SECONDS);
    }

    private boolean exists(String file) {
        return installation.get("/files/lab/content?path=" + file).status() == 200;
    }

    @Test
    void anApprovedCommandGoesOn() throws Exception {
        CompletableFuture<Reply> waiting = begin("touch mark-approved");
        browser.waitFor("touch mark-approved");
        browser.waitFor("it leaves a mark");
        assertThat(exists("mark-approved")).as("it waits").isFalse();

        browser.click("[data-answer=once]");

        finished(waiting).expect(200);
        assertThat(exists("mark-approved")).isTrue();
        browser.waitFor("Nothing waits for you.");
    }

    @Test
    void aDeniedCommandDoesNotRunAndAKeyIsEnough() throws Exception {
        CompletableFuture<Reply> waiting = begin("touch mark-denied");
        browser.waitFor("touch mark-denied");

        browser.type(".card", "d");

        assertThat(finished(waiting).status()).isNotEqualTo(200);
        assertThat(exists("mark-denied")).isFalse();
        browser.waitFor("denied");
    }

    @Test
    void anAnswerElsewhereIsSeenAtOnce() throws Exception {
        CompletableFuture<Reply> waiting = begin("touch mark-elsewhere");
        browser.waitFor("touch mark-elsewhere");
        String id = installation
                .get("/confirm/pending")
                .expect(200)
                .json()
                .path("pending")
                .get(0)
                .path("id")
                .asString();

        installation.post("/confirm/" + id, "{\"decision\":\"approve\"}").expect(200);

        browser.waitFor("Nothing waits for you.");
        finished(waiting).expect(200);
    }

    @Test
    void whatWasBlockedIsExplainedAndAllowedWithOneClick() {
        assertThat(exec("touch stamp1").status()).isNotEqualTo(200);
        browser.open(url + "/#/session/lab");
        browser.script("document.querySelectorAll('.fields input[type=checkbox]').forEach(box => {"
                + " if (!box.checked && box.parentElement.innerText.includes('security')) box.click(); });");
        browser.type("input[type=search]", "no_stamps");
        browser.click(".row.refused");
        browser.click("#why");
        browser.waitFor("security.rules.process.no_stamps");

        browser.click("#allow");

        browser.waitFor("the rule is in force");
        exec("touch stamp1").expect(200);
    }

    @Test
    void oneOfTwoFilesIsApplied() throws IOException {
        exec("cd /root/project && echo two >> a.txt && echo new > b.txt").expect(200);
        browser.open(url + "/#/changes/lab");
        browser.waitFor("b.txt");
        browser.script("document.querySelectorAll('main input[type=checkbox]').forEach(box => {"
                + " if (box.checked && box.value !== 'a.txt') box.click(); });");

        browser.click("#apply");

        browser.waitUntil("return document.querySelector(\"input[value='a.txt']\") === null", "a.txt is applied");
        Path project = installation.home().resolveSibling("project");
        assertThat(project.resolve("a.txt")).hasContent("one\ntwo");
        assertThat(project.resolve("b.txt")).doesNotExist();
    }

    @Test
    void everyScreenOpens() {
        for (String screen : List.of("sandboxes", "spend", "rules", "health", "tools/lab", "session/lab")) {
            browser.open(url + "/#/" + screen);
            browser.waitUntil("return document.querySelector('main h1') !== null", screen);
            browser.waitUntil("return document.querySelector('#notice').innerText === ''", screen + " has no error");
        }
        browser.open(url + "/#/sandboxes");
        browser.waitFor("lab");
        installation
                .post("/budgets", "{\"name\":\"daily\",\"limit\":\"7usd\",\"window\":\"day\"}")
                .expect(200);
        browser.open(url + "/#/spend");
        browser.waitFor("$7.00");
        browser.open(url + "/#/rules");
        browser.waitFor("process.no_stamps");
        browser.waitFor("no problem found");
    }

    @Test
    void nothingThatAGuestWroteIsRun() {
        browser.script(
                "window.violations = [];"
                        + "document.addEventListener('securitypolicyviolation', e => window.violations.push(e.violatedDirective))");
        for (String payload : PAYLOADS) {
            exec("true '" + payload.replace("'", "") + "'").expect(200);
        }
        exec("cd /root/project && for i in 1 2; do touch \"<img src=x onerror=window.hacked=$i>\"; done")
                .expect(200);

        browser.script("location.hash = '#/session/lab'");
        browser.waitFor("<img src=x onerror=window.hacked=1>");
        browser.type("input[type=search]", "script>");
        browser.click(".row.exec");
        browser.waitUntil("return document.querySelector('.detail dl') !== null", "the detail");
        browser.script("location.hash = '#/changes/lab'");
        browser.waitFor("onerror=window.hacked=2");

        assertThat(browser.script("return window.hacked === undefined").asBoolean(false))
                .isTrue();
        assertThat(browser.script(
                                "return document.querySelectorAll('main img, main script, main iframe, main style').length")
                        .asInt(-1))
                .isZero();
        assertThat(browser.script("return window.violations").toString()).isEqualTo("[]");
    }

    @Test
    void aPageGoesOnAfterTheServiceWasKilled() throws Exception {
        long service = Long.parseLong(
                installation.get("/status").expect(200).json().path("pid").asString());
        ProcessHandle.of(service).orElseThrow().destroyForcibly();
        browser.waitFor("the service is not there");

        assertThat(installation.capsem("service", "start").exitCode()).isZero();

        browser.waitUntil("return document.querySelector('#link').innerText === ''", "it is there again");
        CompletableFuture<Reply> waiting = begin("touch mark-after");
        browser.waitFor("touch mark-after");
        browser.click("[data-answer=once]");
        finished(waiting).expect(200);
    }

    @Test
    void aLinkIsGoodOnceAndOtherNamesAreRefused() {
        String link =
                installation.post("/ui", "{}").expect(200).json().path("link").asString();
        String port = url.substring(url.lastIndexOf(':') + 1);
        List<String> curl = List.of("curl", "-s", "-o", "/dev/null", "-w", "%{http_code}");
        String resolve = url.substring("http://".length()) + ":127.0.0.1";

        assertThat(curled(curl, "--resolve", resolve, link)).isEqualTo("303");
        assertThat(curled(curl, "--resolve", resolve, link)).isEqualTo("401");
        assertThat(curled(curl, "--resolve", resolve, url + "/api/list")).isEqualTo("401");
        assertThat(curled(curl, "http://127.0.0.1:" + port + "/")).isEqualTo("403");
        assertThat(curled(curl, "-H", "Host: evil.example", "http://127.0.0.1:" + port + "/"))
                .isEqualTo("403");
    }

    private static String curled(List<String> begin, String... rest) {
        List<String> words = Stream.concat(begin.stream(), Stream.of(rest)).toList();
        return Commands.run(words, Map.of(), Path.of("."), new byte[0]).stdout();
    }
}
