package dev.capsem.policy.lowering;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.capsem.policy.Capgate;
import dev.capsem.policy.FixtureManifests;
import dev.capsem.policy.artifact.Artifact;
import dev.capsem.policy.artifact.Coverage;
import dev.capsem.policy.diagnostic.Code;
import dev.capsem.policy.diagnostic.CompilationError;
import dev.capsem.policy.egress.EgressKind;
import dev.capsem.policy.egress.EgressOptions;
import dev.capsem.policy.egress.NftablesEmitter;
import dev.capsem.policy.egress.SquidEmitter;
import dev.capsem.policy.ir.Policy;
import dev.capsem.policy.manifest.Manifest;
import dev.capsem.source.json.JsonValue;
import dev.capsem.source.json.JsonWriter;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TargetTest {
    private static Policy policy(String... capabilities) {
        return Capgate.compile(Manifest.of("s", "1", Manifest.Tool.of("t", capabilities)));
    }

    private static String squid(String... capabilities) {
        return Capgate.lowerToEgress(policy(capabilities), EgressOptions.of(EgressKind.SQUID))
                .config();
    }

    @ParameterizedTest
    @EnumSource(LoweringTarget.class)
    void failsInStrictModeOnlyForKindsItCannotLower(LoweringTarget target) {
        Policy policy = FixtureManifests.compile("everything").policy();
        boolean takesAll = target.supported().containsAll(policy.kinds());

        CompilationError error =
                catchThrowableOfType(CompilationError.class, () -> target.lower(policy, LoweringOptions.DEFAULT));

        if (takesAll) {
            assertThat(error).isNull();
        } else {
            assertThat(error.code()).isEqualTo(Code.ADAPTER_UNSUPPORTED);
            assertThat(error.context().map().keySet())
                    .containsExactly("adapter", "unsupported", "present", "supported");
        }
    }

    @Test
    void squidListsHostsInOrderAndEndsClosed() {
        assertThat(squid("net:connect:api.github.com:443", "net:connect:\"2001:db8::1\""))
                .isEqualTo(SquidEmitter.HEADER + """

                        acl to_private dst 10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 127.0.0.0/8 169.254.0.0/16 ::1/128 fc00::/7 fe80::/10
                        http_access deny to_private
                        acl cg_dst_0 dst 2001:db8::1
                        http_access allow cg_dst_0 CONNECT
                        acl cg_dst_1 dstdomain api.github.com
                        acl cg_port_1 port 443
                        http_access allow cg_dst_1 cg_port_1 CONNECT
                        http_access deny all""");
    }

    @Test
    void squidWritesAWildcardThatMatchesBelowTheDomainOnly() {
        assertThat(squid("net:connect:*.example.com:443"))
                .contains("acl cg_dst_0 dstdom_regex -n -i ^.+\\.example\\.com$");
    }

    @Test
    void squidBlocksNoPrivateRangeWhenOnlyPrivateHostsAreDeclared() {
        assertThat(squid("net:connect:10.0.0.5:80")).doesNotContain("to_private");
        assertThat(squid("net:connect:10.evil.com:80")).contains("http_access deny to_private");
    }

    @Test
    void saysThatAMixedListClosesItsPrivateAddressesUnlessHardened() {
        Policy mixed = policy("net:connect:10.0.0.5:8080", "net:connect:93.184.216.34:443");
        for (EgressKind kind : List.of(EgressKind.SQUID, EgressKind.NFTABLES)) {
            Artifact.EgressArtifact plain = Capgate.lowerToEgress(mixed, EgressOptions.of(kind));
            Artifact.EgressArtifact hardened =
                    Capgate.lowerToEgress(mixed, EgressOptions.of(kind).harden());

            assertThat(plain.coverage().getFirst().status()).isEqualTo(Coverage.Status.UNENFORCEABLE);
            assertThat(plain.notes()).anyMatch(note -> note.contains("10.0.0.5") && note.contains("unreachable"));
            assertThat(hardened.coverage().getFirst().status()).isEqualTo(Coverage.Status.ENFORCED);
            assertThat(hardened.config().indexOf("10.0.0.5"))
                    .isLessThan(hardened.config().indexOf("10.0.0.0/8"));
        }
    }

    @Test
    void nftablesRefusesNamesAndKeepsAddresses() {
        Artifact.EgressArtifact artifact = Capgate.lowerToEgress(
                policy("net:connect:93.184.216.34:443", "net:connect:api.github.com:443", "net:connect:*"),
                EgressOptions.of(EgressKind.NFTABLES));

        assertThat(artifact.config()).isEqualTo(NftablesEmitter.HEADER + """

                table inet capgate {
                  chain egress {
                    type filter hook output priority 0; policy drop;
                    ip daddr { 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 127.0.0.0/8, 169.254.0.0/16 } drop
                    ip6 daddr { ::1/128, fc00::/7, fe80::/10 } drop
                    ip daddr 93.184.216.34 tcp dport 443 accept
                  }
                }""");
        assertThat(artifact.unenforceable()).hasSize(2);
    }

    @Test
    void bwrapSharesNamespacesForANestedSandboxOnly() {
        List<String> argv = Capgate.lowerToBwrap(policy("exec:spawn:chromium?nestedSandbox=true"))
                .argv();

        assertThat(argv).contains("--dev").doesNotContain("--unshare-pid", "--unshare-user-try", "--unshare-ipc");
        assertThat(argv.subList(0, 3)).containsExactly("--unshare-uts", "--unshare-cgroup-try", "--unshare-net");
    }

    @Test
    void dockerTakesAnEmptyUserAsUnset() {
        Policy policy = policy("fs:read:/a");

        assertThat(Capgate.lowerToDocker(policy, DockerOptions.DEFAULT.withUser(""))
                        .argv())
                .doesNotContain("--user");
        assertThat(Capgate.lowerToDocker(policy, DockerOptions.DEFAULT.withUser("1000:1000"))
                        .argv())
                .containsSequence("--user", "1000:1000");
        assertThat(Capgate.lowerToDocker(policy, DockerOptions.DEFAULT.withReadOnlyRootfs(false))
                        .argv())
                .doesNotContain("--read-only");
    }

    @Test
    void bindsOneDirectoryOnceWithTheActionsOfAllItsRoots() {
        List<String> argv =
                Capgate.lowerToBwrap(policy("fs:write:/a", "fs:read:/a/**")).argv();

        assertThat(argv)
                .containsOnlyOnce("--bind")
                .containsSequence("--bind", "/a", "/a")
                .doesNotContain("--ro-bind");
    }

    @Test
    void takesADottedPathForADirectoryWhereAnotherRootShowsIt() {
        List<String> argv = Capgate.lowerToBwrap(policy("fs:create:/opt/py3.11", "fs:read:/opt/py3.11/**"))
                .argv();

        assertThat(argv)
                .containsSequence("--bind", "/opt/py3.11", "/opt/py3.11")
                .doesNotContain("/opt", "--ro-bind");
    }

    @Test
    void capsemFragmentCompilesBackToTheSamePolicy() {
        Policy policy = FixtureManifests.compile("puppeteer").policy();

        Artifact artifact = LoweringTarget.CAPSEM.lower(policy, LoweringOptions.DEFAULT);
        String line = artifact.raw()
                .lines()
                .filter(text -> text.startsWith("capabilities = "))
                .findFirst()
                .orElseThrow();
        String manifest = "{\"name\":\"" + policy.serverName() + "\",\"version\":\"" + policy.serverVersion()
                + "\",\"tools\":[],\"serverCapabilities\":" + line.substring("capabilities = ".length()) + "}";

        assertThat(JsonWriter.compact(withoutProvenance(Capgate.compile(manifest))))
                .isEqualTo(JsonWriter.compact(withoutProvenance(policy)));
    }

    private static JsonValue withoutProvenance(Policy policy) {
        return new Policy(
                        policy.serverName(),
                        policy.serverVersion(),
                        policy.fs(),
                        policy.net(),
                        policy.exec(),
                        policy.env(),
                        policy.ipc(),
                        policy.clock(),
                        policy.assertions(),
                        policy.nestedSandbox(),
                        Optional.empty())
                .toJson();
    }
}
