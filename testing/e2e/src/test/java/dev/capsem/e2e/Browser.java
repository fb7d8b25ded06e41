package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.testkit.Programs;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// A real Chromium without a window, driven by the WebDriver protocol. It reaches nothing but this machine.
final class Browser implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Pattern STARTED = Pattern.compile("started successfully on port (\\d+)");
    /// The name by which the protocol refers to elements.
    private static final String ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

    private static final List<String> FLAGS = List.of(
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
            "--window-size=1280,900");

    private final Process driver;
    private final HttpClient client = HttpClient.newHttpClient();
    private final URI base;
    private final String session;

    private Browser(Process driver, int port, Path profile) {
        this.driver = driver;
        this.base = URI.create("http://127.0.0.1:" + port);
        ObjectNode request = Installation.JSON.createObjectNode();
        ArrayNode arguments = request.putObject("capabilities")
                .putObject("alwaysMatch")
                .putObject("goog:chromeOptions")
                .putArray("args");
        FLAGS.forEach(arguments::add);
        arguments.add("--user-data-dir=" + profile);
        this.session = call("POST", "/session", request).path("sessionId").asString();
    }

    static boolean isInstalled() {
        return Programs.find("chromium").isPresent()
                && Programs.find("chromedriver").isPresent();
    }

    static Browser start() {
        try {
            Path profile = Files.createTempDirectory("browser");
            Process driver = new ProcessBuilder("chromedriver", "--port=0")
                    .redirectErrorStream(true)
                    .start();
            BufferedReader said =
                    new BufferedReader(new InputStreamReader(driver.getInputStream(), StandardCharsets.UTF_8));
            String line = said.readLine();
            while (line != null) {
                Matcher started = STARTED.matcher(line);
                if (started.find()) {
                    Thread.ofVirtual().start(() -> said.lines().forEach(_ -> {}));
                    return new Browser(driver, Integer.parseInt(started.group(1)), profile);
                }
                line = said.readLine();
            }
            throw new AssertionError("chromedriver did not start");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private JsonNode call(String method, String path, ObjectNode body) {
        try {
            HttpResponse<String> response = client.send(
                    HttpRequest.newBuilder(base.resolve(path))
                            .timeout(PATIENCE)
                            .method(method, HttpRequest.BodyPublishers.ofString(body.toString()))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            JsonNode value = Installation.JSON.readTree(response.body()).path("value");
            assertThat(response.statusCode()).as(value.toString()).isEqualTo(200);
            return value;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private JsonNode command(String method, String path, ObjectNode body) {
        return call(method, "/session/" + session + path, body);
    }

    void open(String url) {
        command("POST", "/url", Installation.JSON.createObjectNode().put("url", url));
    }

    /// The value of a script, run in the page.
    JsonNode script(String text) {
        ObjectNode body = Installation.JSON.createObjectNode().put("script", text);
        body.putArray("args");
        return command("POST", "/execute/sync", body);
    }

    /// What the page shows.
    String text() {
        return script("return document.body.innerText").asString();
    }

    /// Waits until the page shows it.
    void waitFor(String text) {
        waitUntil("return document.body.innerText.includes(" + Installation.JSON.valueToTree(text) + ")", text);
    }

    void waitUntil(String condition, String what) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!script(condition).asBoolean(false)) {
            assertThat(System.nanoTime()).as("%s, in: %s", what, text()).isLessThan(end);
            try {
                TimeUnit.MILLISECONDS.sleep(100);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }
    }

    private String element(String css) {
        waitUntil("return document.querySelector(" + Installation.JSON.valueToTree(css) + ") !== null", css);
        ObjectNode body = Installation.JSON
                .createObjectNode()
                .put("using", "css selector")
                .put("value", css);
        return command("POST", "/element", body).path(ELEMENT).asString();
    }

    /// As a person does: where it is on the screen.
    void click(String css) {
        command("POST", "/element/" + element(css) + "/click", Installation.JSON.createObjectNode());
    }

    void type(String css, String keys) {
        command(
                "POST",
                "/element/" + element(css) + "/value",
                Installation.JSON.createObjectNode().put("text", keys));
    }

    @Override
    public void close() {
        try {
            call("DELETE", "/session/" + session, Installation.JSON.createObjectNode());
        } finally {
            driver.destroy();
        }
    }
}
