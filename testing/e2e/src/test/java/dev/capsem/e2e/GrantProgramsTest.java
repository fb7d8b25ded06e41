package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Installation.Executed;
import dev.capsem.testkit.Programs;
import dev.capsem.testkit.git.GitRepository;
import dev.capsem.testkit.http.Exchange;
import dev.capsem.testkit.http.HttpOrigin;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/// Programs as people use them publish with a credential that they do not have: the host gets the right one, and the
/// sandbox and its record hold it nowhere.
@Tag("e2e")
class GrantProgramsTest {
    private static final String GIT_TOKEN = "glpat-0123456789abcdefXYZ_";
    private static final String NPM_TOKEN = "npm_0123456789abcdefghijABCDEFGHIJ012345";
    private static final String AWS_KEY = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
    private static final String AWS_KEY_ID = "AKIAOUTSIDE000000001";

    private final World world = new World();
    private final List<String> authorizations = new CopyOnWriteArrayList<>();
    private final List<JsonNode> published = new CopyOnWriteArrayList<>();

    @AfterEach
    void stop() {
        world.close();
    }

    @Test
    void gitPushesOverHttps() throws IOException {
        Path root = world.upstreams().directory("code");
        GitRepository repository = GitRepository.in(root, "first\n");
        Programs.run(root.resolve("notes.git"), List.of("git", "config", "http.receivepack", "true"));
        String right = "Basic " + base64("me:" + GIT_TOKEN);
        world.origin("code", exchange -> onlyWith(right, exchange, repository));

        try (NetSandbox sandbox = start("git", GIT_TOKEN, """
                hosts = ["code.example.test"]
                places = ["basic"]
                file = "/root/.netrc"
                text = "machine code.example.test login me password {}\\n"
                """)) {
            Executed run = sandbox.exec("cd $(mktemp -d) && git clone -q https://{code}/notes.git && cd notes"
                    + " && echo second >>notes.txt && git config user.email a@example.test && git config user.name A"
                    + " && git commit -qam second && git push -q origin main && git ls-remote origin main");

            assertThat(run.exitCode()).as("%s%s", run.stdout(), run.stderr()).isZero();
            assertThat(Programs.run(root.resolve("notes.git"), List.of("git", "show", "main:notes.txt")))
                    .isEqualTo("first\nsecond\n");
            assertThat(authorizations).isNotEmpty().containsOnly(right);
            assertThat(sandbox.awaitRows(2, "SELECT * FROM grant_uses WHERE place = 'basic'"))
                    .isNotEmpty();
            isNowhere(sandbox, GIT_TOKEN);
        }
    }

    @Test
    void npmPublishes() throws IOException {
        world.origin("npm", exchange -> onlyWith("Bearer " + NPM_TOKEN, exchange, this::registry));
        String place = world.command("{npm}");

        try (NetSandbox sandbox = start("npm", NPM_TOKEN, """
                hosts = ["npm.example.test"]
                places = ["header:authorization"]
                file = "/root/.npmrc"
                text = "registry=https://%s/\\n//%s/:_authToken={}\\n"
                """.formatted(place, place))) {
            Executed run = sandbox.exec("cd $(mktemp -d) && echo '{\"name\": \"capsem-probe\", \"version\": \"1.2.3\"}'"
                    + " >package.json && echo 'a text' >README.md && npm publish --loglevel=error --no-audit"
                    + " --no-update-notifier 2>&1");

            assertThat(run.stdout()).as(run.stderr()).contains("+ capsem-probe@1.2.3");
            assertThat(published).singleElement().satisfies(document -> {
                assertThat(document.path("name").asString()).isEqualTo("capsem-probe");
                assertThat(document.path("versions").has("1.2.3")).isTrue();
            });
            assertThat(authorizations).isNotEmpty().containsOnly("Bearer " + NPM_TOKEN);
            isNowhere(sandbox, NPM_TOKEN);
        }
    }

    private void registry(Exchange exchange) throws IOException {
        if (exchange.method().equals("PUT")) {
            published.add(Installation.JSON.readTree(exchange.bodyBytes()));
            exchange.reply(201, "application/json", "{\"ok\": true}\n");
        } else {
            exchange.reply(404, "application/json", "{\"error\": \"not found\"}\n");
        }
    }

    @Test
    void anObjectIsPutIntoABucket() throws IOException {
        SignedBucket bucket = new SignedBucket(AWS_KEY_ID, AWS_KEY);
        world.origin("bucket", bucket);

        try (NetSandbox sandbox = start("aws", AWS_KEY, """
                hosts = ["bucket.example.test"]
                places = ["aws-sigv4:%s"]
                env = "AWS_SECRET_ACCESS_KEY"
                """.formatted(AWS_KEY_ID))) {
            String put = "curl -sS -w '%{http_code}' --aws-sigv4 aws:amz:eu-west-1:s3 -T /tmp/object"
                    + " -H \"x-amz-content-sha256: $(sha256sum </tmp/object | cut -d' ' -f1)\"";
            Executed run = sandbox.exec("echo 'an object' >/tmp/object; " + put
                    + " --user \"AKIAINSIDE0000000001:$AWS_SECRET_ACCESS_KEY\" https://{bucket}/folder/object.txt");
            Executed wrong = sandbox.exec(put
                    + " --user \"AKIAINSIDE0000000001:another-key-of-the-guest\" https://{bucket}/folder/wrong.txt");

            assertThat(run.stdout()).as(run.stderr()).isEqualTo("200");
            assertThat(wrong.stdout()).as("signed with another key").contains("SignatureDoesNotMatch", "403");
            assertThat(bucket.objects()).isEqualTo(Map.of("/folder/object.txt", "an object\n"));
            assertThat(sandbox.awaitRows(1, "SELECT * FROM grant_uses"))
                    .singleElement()
                    .satisfies(row -> assertThat(row.text("place")).isEqualTo("aws-sigv4:" + AWS_KEY_ID));
            isNowhere(sandbox, AWS_KEY);
        }
    }

    private void onlyWith(String authorization, Exchange exchange, HttpOrigin.Handler next) throws IOException {
        exchange.header("authorization").ifPresent(authorizations::add);
        if (exchange.header("authorization").filter(authorization::equals).isPresent()) {
            next.handle(exchange);
        } else {
            exchange.reply(401, Map.of("www-authenticate", "Basic realm=\"test\""), new byte[0]);
        }
    }

    private NetSandbox start(String name, String value, String grant) throws IOException {
        Path key = world.upstreams().directory("key").resolve(name);
        Files.writeString(key, value + "\n");
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r--r--"));
        String grants = "[[grant]]\nname = \"" + name + "\"\nsecret = \"${file:" + key + "}\"\n" + grant;
        return NetSandbox.startUnder(
                Account.available().getFirst(),
                world,
                world.profile(grants),
                world.upstreams().directory("project"));
    }

    /// Environments, files, the record and all that is kept of the session.
    private static void isNowhere(NetSandbox sandbox, String value) throws IOException {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        List<String> spellings = new ArrayList<>(List.of(value, HexFormat.of().formatHex(bytes)));
        for (int before = 0; before < 3; before++) {
            String around = base64("x".repeat(before) + value);
            spellings.add(around.substring(4, around.length() - 4));
        }
        assertThat(sandbox.exec("cat /proc/[0-9]*/environ | tr '\\0' '\\n'").stdout())
                .doesNotContain(value);
        assertThat(sandbox.exec("grep -rslF -e " + value.substring(0, value.length() / 2) + " /root /tmp /etc /var")
                        .stdout())
                .isEmpty();
        String everything = sandbox.everythingBut("exec_events");
        assertThat(spellings).noneMatch(everything::contains);
        try (Stream<Path> session = Files.walk(sandbox.directory())) {
            for (Path file : session.filter(path -> Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS))
                    .toList()) {
                String content = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
                assertThat(spellings).as(file.toString()).noneMatch(content::contains);
            }
        }
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
