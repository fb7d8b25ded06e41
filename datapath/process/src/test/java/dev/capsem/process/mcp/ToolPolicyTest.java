package dev.capsem.process.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.policy.artifact.Artifact.SandboxArtifact;
import dev.capsem.policy.diagnostic.CompilationError;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ToolPolicyTest {
    /// What of the host the sandbox shows, and how.
    private static List<String> binds(SandboxArtifact artifact) {
        List<String> binds = new ArrayList<>();
        for (int i = 0; i + 1 < artifact.argv().size(); i++) {
            if (artifact.argv().get(i).contains("bind")) {
                binds.add(artifact.argv().get(i) + " " + artifact.argv().get(i + 1));
            }
        }
        return binds;
    }

    @Test
    void aProgramSeesTheProgramsOfTheHostAndNothingElse() {
        assertThat(binds(new ToolPolicy("t").compile()))
                .allMatch(bind -> bind.startsWith("--ro-bind"))
                .map(bind -> bind.substring(bind.indexOf(' ') + 1))
                .containsExactlyInAnyOrder(
                        "/usr",
                        "/lib",
                        "/lib64",
                        "/bin",
                        "/sbin",
                        "/etc/ssl",
                        "/etc/ca-certificates",
                        "/etc/alternatives");
    }

    @Test
    void hasNoNetworkOfItsOwn() {
        assertThat(new ToolPolicy("t").compile().argv())
                .doesNotContain("--share-net")
                .containsAnyOf("--unshare-all", "--unshare-net");
        assertThat(new ToolPolicy("t")
                        .allow(List.of("net:connect:api.example.com:443"))
                        .compile()
                        .egress())
                .hasSize(1);
    }

    @Test
    void readsOrWritesTheDirectoriesItIsGiven() {
        Path base = Path.of("/data/tool");

        assertThat(binds(new ToolPolicy("t").read(base).compile()))
                .anyMatch(bind -> bind.startsWith("--ro-bind") && bind.endsWith(" /data/tool"))
                .noneMatch(bind -> bind.startsWith("--bind"));
        assertThat(binds(new ToolPolicy("t").write(base).compile()))
                .anyMatch(bind -> bind.startsWith("--bind") && bind.endsWith(" /data/tool"));
        assertThat(binds(new ToolPolicy("t").connect(Path.of("/run/x.sock")).compile()))
                .anyMatch(bind -> bind.endsWith(" /run/x.sock"));
    }

    @Test
    void refusesWhatIsNoCapability() {
        ToolPolicy policy = new ToolPolicy("t");

        assertThatThrownBy(() -> policy.allow(List.of("everything"))).isInstanceOf(CompilationError.class);
    }
}
