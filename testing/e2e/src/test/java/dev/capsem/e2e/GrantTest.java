package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.testkit.http.Exchange;
import dev.capsem.testkit.http.HttpOrigin;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// A credential is sent from outside. Inside is a stand-in, and nothing that anybody keeps holds the value.
@Tag("e2e")
class GrantTest {
    private static final String VALUE = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    private static final String LATE_VALUE = "late-value-0123456789-of-the-store";

    private final List<String> authorizations = new CopyOnWriteArrayList<>();
    private final List<String> late = new CopyOnWriteArrayList<>();

    static List<Account> accounts() {
        return Account.available();
    }

    @ParameterizedTest
    @MethodSource("accounts")
    void theUpstreamHasTheValueAndTheSandboxAStandIn(Account account) throws IOException {
        try (World world = new World()) {
            world.origin("keys", this::echo);
            HttpOrigin other = world.origin("other");
            Path key = world.upstreams().directory("key").resolve("token");
            Files.writeString(key, VALUE + "\n");
            Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r--r--"));
            Path project = world.upstreams().directory("project");
            try (NetSandbox sandbox = NetSandbox.startUnder(account, world, world.profile(grants(key)), project)) {
                String standIn = sandbox.exec("printenv API_TOKEN").stdout().strip();
                assertThat(standIn).startsWith("ghp_").hasSameSizeAs(VALUE).isNotEqualTo(VALUE);
                assertThat(sandbox.exec("cat /root/.api-token; stat -c %a /root/.api-token")
                                .stdout())
                        .isEqualTo("token = " + standIn + "\n600\n");

                String echoed = sandbox.exec("curl -sSi https://{keys}/ -H \"authorization: Bearer $API_TOKEN\"")
                        .stdout();
                assertThat(authorizations).containsExactly("Bearer " + VALUE);
                assertThat(echoed).contains("x-echo: Bearer " + standIn, "you sent Bearer " + standIn);
                sandbox.exec("curl -sS https://{keys}/ -u me:$API_TOKEN");
                assertThat(authorizations).last().isEqualTo("Basic " + base64("me:" + VALUE));

                assertThat(sandbox.exec("curl -sS https://{other}/text -H \"x-key: $API_TOKEN\"")
                                .stdout())
                        .contains("placeholder_leak")
                        .doesNotContain(World.TEXT);
                assertThat(other.received()).isEmpty();
                assertThat(sandbox.awaitRows(2, "SELECT * FROM grant_uses WHERE grant_name = 'api' ORDER BY id"))
                        .extracting(row -> row.text("place") + " " + row.text("host") + " " + row.text("use_count"))
                        .containsExactly("header:authorization keys.example.test 1", "basic keys.example.test 1");
                assertThat(sandbox.awaitRows(1, "SELECT * FROM security_events WHERE reason LIKE 'placeholder_leak%'"))
                        .isNotEmpty();

                rotated(sandbox);
                isNowhere(sandbox, echoed);
                forked(sandbox, standIn);
            }
        }
    }

    private static String grants(Path key) {
        return """
                [[grant]]
                name = "api"
                secret = "${file:%s}"
                hosts = ["keys.example.test"]
                places = ["header:authorization", "basic"]
                env = "API_TOKEN"
                file = "/root/.api-token"
                text = "token = {}\\n"

                [[grant]]
                name = "late"
                secret = "${secret:late}"
                hosts = ["keys.example.test"]
                places = ["header:x-late"]
                paths = ["/late"]
                mode = "set"
                """.formatted(key);
    }

    private void echo(Exchange exchange) throws IOException {
        exchange.header("authorization").ifPresent(authorizations::add);
        exchange.header("x-late").ifPresent(late::add);
        String sent = exchange.header("authorization").orElse("nothing");
        exchange.reply(
                200,
                Map.of("content-type", "text/plain", "x-echo", sent),
                ("you sent " + sent + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /// A secret that is missing refuses requests that need it; once it is set, running sandboxes have it.
    private void rotated(NetSandbox sandbox) {
        assertThat(sandbox.exec("curl -sS https://{keys}/late").stdout())
                .contains("secret_unavailable", "capsem secret set late");
        assertThat(late).isEmpty();

        assertThat(sandbox.installation()
                        .request(
                                "PUT",
                                "/secrets/late",
                                Optional.of(LATE_VALUE.getBytes(StandardCharsets.UTF_8)),
                                "content-type: text/plain")
                        .expect(200)
                        .json()
                        .path("sandboxes")
                        .asInt())
                .isEqualTo(1);
        sandbox.exec("curl -sS https://{keys}/late");
        assertThat(late).containsExactly(LATE_VALUE);
    }

    /// The kernel gives what it shows of a closed process to root, whoever runs it.
    private static boolean isSomeProcessClosed(Installation installation) throws IOException {
        String home = installation.home().toString();
        try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
            for (Path process : processes
                    .filter(path -> path.getFileName().toString().matches("[0-9]+"))
                    .toList()) {
                if (isOf(process, home)
                        && Files.getOwner(process.resolve("environ")).getName().equals("root")) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean isOf(Path process, String home) {
        try {
            String command = Files.readString(process.resolve("cmdline"), StandardCharsets.ISO_8859_1);
            return command.contains("dev.capsem.process.ProcessMain") && command.contains(home);
        } catch (IOException gone) {
            return false;
        }
    }

    private static void isNowhere(NetSandbox sandbox, String echoed) throws IOException {
        assertThat(echoed).doesNotContain(VALUE);
        assertThat(isSomeProcessClosed(sandbox.installation())).isTrue();
        assertThat(sandbox.exec("cat /proc/[0-9]*/environ | tr '\\0' '\\n'").stdout())
                .contains("API_TOKEN=ghp_")
                .doesNotContain(VALUE);
        assertThat(sandbox.exec("grep -rsl " + VALUE.substring(0, 14) + " /root /tmp /etc")
                        .stdout())
                .isEmpty();
        assertThat(sandbox.everything()).doesNotContain(VALUE, LATE_VALUE, base64("me:" + VALUE));
        try (Stream<Path> session = Files.walk(sandbox.directory());
                Stream<Path> home = Files.walk(sandbox.installation().home(), 2)) {
            for (Path file : Stream.concat(session, home)
                    .filter(path -> Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS))
                    .toList()) {
                String content = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
                assertThat(content.contains(VALUE) || content.contains(LATE_VALUE))
                        .as(file.toString())
                        .isFalse();
            }
        }
    }

    private static void forked(NetSandbox sandbox, String standIn) {
        Installation installation = sandbox.installation();
        installation.post("/fork/" + sandbox.id(), "{\"name\":\"forked\"}").expect(200);
        installation.post("/resume/forked", "{}").expect(200);

        String forked =
                installation.exec("forked", "printenv API_TOKEN").stdout().strip();

        assertThat(forked).startsWith("ghp_").isNotEqualTo(standIn);
        assertThat(installation.exec("forked", "cat /root/.api-token").stdout()).isEqualTo("token = " + forked + "\n");
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
