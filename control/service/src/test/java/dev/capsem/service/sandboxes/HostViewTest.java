package dev.capsem.service.sandboxes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.wire.SandboxSpec;
import dev.capsem.wire.SandboxSpec.Mount;
import dev.capsem.wire.service.ProvisionRequest;
import dev.capsem.wire.service.ProvisionRequest.HostMount;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What of the host a sandbox may see.
class HostViewTest {
    @TempDir
    Path root;

    private Path home;
    private Path tool;
    private HostView view;

    @BeforeEach
    void prepare() throws IOException {
        home = Files.createDirectories(root.resolve("home/me"));
        Path capsem = Files.createDirectories(root.resolve("state/.capsem"));
        tool = Files.createDirectories(home.resolve(".local/share/tool"));
        Files.createFile(tool.resolve("program"));
        view = new HostView(capsem, home);
    }

    private SandboxSpec.View of(HostMount... mounts) {
        ProvisionRequest request = ProvisionRequest.temporary().withMounts(List.of(mounts));
        return view.of(request, Optional.of(project(root.resolve("app"))));
    }

    private static SandboxSpec.Project project(Path source) {
        return new SandboxSpec.Project(source, "app", SandboxSpec.Project.Access.COPY_ON_WRITE);
    }

    private static HostMount at(Path source) {
        return new HostMount(source.toString(), Optional.empty());
    }

    private static HostMount at(Path source, String target) {
        return new HostMount(source.toString(), Optional.of(target));
    }

    private void refused(String cause, HostMount... mounts) {
        assertThatThrownBy(() -> of(mounts)).isInstanceOfSatisfying(ServiceProblem.class, problem -> {
            assertThat(problem.code()).isEqualTo(ServiceProblem.Code.BAD_MOUNT);
            assertThat(problem).hasMessageContaining(cause);
            assertThat(problem.remedy()).isNotBlank();
        });
    }

    @Test
    void aPathIsShownUnderItsOwnNameUnlessAnotherIsGiven() {
        assertThat(of(at(tool), at(tool.resolve("program"), "/mnt/program")).mounts())
                .containsExactly(new Mount(tool, tool), new Mount(tool.resolve("program"), Path.of("/mnt/program")));
    }

    @Test
    void aLinkIsShownUnderItsOwnNameWithWhatItLeadsTo() throws IOException {
        Path link = Files.createSymbolicLink(home.resolve("link"), tool);

        assertThat(of(at(link)).mounts()).containsExactly(new Mount(tool, link));
    }

    @Test
    void nothingOfCapsemsOwnIsShown() throws IOException {
        Path link = Files.createSymbolicLink(home.resolve("sly"), root.resolve("state/.capsem"));

        refused("Capsem's own files", at(root.resolve("state/.capsem")));
        refused("Capsem's own files", at(root.resolve("state"), "/mnt/state"));
        refused("Capsem's own files", at(link, "/mnt/x"));
    }

    @Test
    void theHomeAsAWholeIsNotShown() {
        refused("whole home", at(home));
        refused("whole home", at(root.resolve("home"), "/mnt/home"));
    }

    @Test
    void theKernelsFilesAreNotShown() {
        for (String place : List.of("/proc/self", "/sys/kernel", "/dev", "/proc", "/")) {
            assertThatThrownBy(() -> of(at(Path.of(place), "/mnt/x"))).isInstanceOf(ServiceProblem.class);
        }
    }

    @Test
    @Tag("sockets")
    void socketsAreNotShown() throws IOException {
        Path socket = root.resolve("s");
        try (var listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(UnixDomainSocketAddress.of(socket));

            refused("neither a file nor a directory", at(socket, "/mnt/s"));
        }
    }

    @Test
    void placesOfTheSandboxStayItsOwn() {
        for (String place : List.of("/usr", "/usr/lib/x", "/etc/x", "/proc/x", "/run/x", "/root", "/tmp", "/opt")) {
            refused("belongs to the sandbox", at(tool, place));
        }
        refused("the project is at /root/app", at(tool, "/root/app/tool"));
        refused("no plain absolute path", at(tool, "mnt/x"), at(tool));
        refused("no plain absolute path", at(tool, "/mnt/../usr"));
        assertThat(of(at(tool, "/root/tool")).mounts()).hasSize(1);
    }

    @Test
    void twoPathsDoNotShareAPlace() {
        refused("two paths", at(tool, "/mnt/a"), at(tool.resolve("program"), "/mnt/a/program"));
    }

    @Test
    void thereAreNotTooMany() {
        HostMount[] many = new HostMount[HostView.MOUNTS_MAX + 1];
        Arrays.setAll(many, i -> at(tool, "/mnt/" + i));

        refused("more than 32", many);
        refused("cannot be found", at(root.resolve("none")));
        refused("no absolute path", new HostMount("tool", Optional.empty()));
        refused("cannot be mounted", at(tool, "/mnt/a:b"));
    }

    @Test
    void secretFilesAreHiddenOnlyWhenAsked() throws IOException {
        Path app = Files.createDirectories(root.resolve("app/config"));
        Files.writeString(root.resolve("app/.env"), "KEY=1");
        Files.writeString(root.resolve("app/.env.example"), "KEY=");
        Files.writeString(app.resolve("server.pem"), "-----");
        Files.createDirectories(root.resolve("app/node_modules/x"));
        Files.writeString(root.resolve("app/node_modules/x/test.pem"), "-----");
        Files.createSymbolicLink(root.resolve("app/.env.local"), Path.of("config/local"));
        Files.writeString(app.resolve("local"), "KEY=2");
        ProvisionRequest request = ProvisionRequest.temporary();
        Optional<SandboxSpec.Project> project = Optional.of(project(root.resolve("app")));

        assertThat(view.of(request, project).hidden()).isEmpty();
        assertThat(view.of(request.withSecretsHidden(), project).hidden())
                .containsExactly(".env", "config/local", "config/server.pem");
    }

    @Test
    void namesOfSecretFiles() {
        for (String secret : List.of(".env", ".env.production", ".envrc", "id_ed25519", "a.key", "credentials.json")) {
            assertThat(SecretFiles.isSecret(secret)).as(secret).isTrue();
        }
        for (String plain :
                List.of(".env.example", ".environment", "env", "key", "id_rsa.pub", "a.pem.txt", "x.json")) {
            assertThat(SecretFiles.isSecret(plain)).as(plain).isFalse();
        }
    }
}
