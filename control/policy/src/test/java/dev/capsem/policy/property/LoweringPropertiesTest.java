package dev.capsem.policy.property;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.policy.Capgate;
import dev.capsem.policy.artifact.Artifact;
import dev.capsem.policy.egress.EgressKind;
import dev.capsem.policy.egress.EgressOptions;
import dev.capsem.policy.grammar.Capability;
import dev.capsem.policy.grammar.CapabilityParser;
import dev.capsem.policy.ir.Element;
import dev.capsem.policy.ir.Policy;
import dev.capsem.policy.lowering.BwrapOptions;
import dev.capsem.policy.manifest.Manifest;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// Whatever is declared, nothing beyond it is granted. A failing run prints its seed.
class LoweringPropertiesTest {
    private static final int MANIFESTS = 2_000;
    /// The gate asks the same questions every time; `-Dcapgate.seed=N` asks others.
    private static final long SEED = Long.getLong("capgate.seed", 20_261_115L);
    private static final List<String> ZONES = List.of("/usr/share/zoneinfo", "/etc/localtime");

    @Test
    void parsingWhatWasPrintedIsIdentity() {
        ManifestGenerator generator = new ManifestGenerator(SEED);
        for (int i = 0; i < MANIFESTS * 4; i++) {
            String text = generator.capability();
            Capability capability = CapabilityParser.parse(text);

            assertThat(CapabilityParser.parse(capability.print()))
                    .as("seed %d: %s", SEED, text)
                    .isEqualTo(capability);
        }
    }

    @Test
    void policyElementsPrintAsCapabilitiesThatGiveTheSamePolicy() {
        forEachManifest((manifest, policy) -> {
            String[] printed = policy.elements().stream().map(Element::print).toArray(String[]::new);
            Policy again = Capgate.compile(Manifest.of("generated", "1", Manifest.Tool.of("t", printed)));

            assertThat(again.elements()).as("seed %d: %s", SEED, manifest).isEqualTo(policy.elements());
        });
    }

    @Test
    void bwrapGrantsNoPathSocketOrVariableBeyondTheManifest() {
        forEachManifest((manifest, policy) -> {
            ContainmentOracle oracle = new ContainmentOracle(manifest);
            Artifact.SandboxArtifact artifact = Capgate.lowerToBwrap(policy);

            checkBwrap(manifest, oracle, artifact.argv());
            assertThat(artifact.envInjections())
                    .as("seed %d: %s", SEED, manifest)
                    .allMatch(oracle::mayHave);
            assertThat(artifact.argv()).contains("--unshare-net", "--clearenv");
        });
    }

    /// Replays the mounts in order, as the kernel would, and asks the oracle about every mount point's final state.
    private static void checkBwrap(Manifest manifest, ContainmentOracle oracle, List<String> argv) {
        Map<String, Boolean> writable = new HashMap<>();
        for (int i = 0; i < argv.size(); i++) {
            switch (argv.get(i)) {
                case "--bind", "--ro-bind" -> {
                    String path = argv.get(i + 1);
                    assertThat(argv.get(i + 2)).isEqualTo(path);
                    // A mount hides what was mounted beneath it before.
                    writable.keySet().removeIf(old -> isBeneath(old, path));
                    writable.put(path, argv.get(i).equals("--bind"));
                }
                case "--bind-try" ->
                    assertThat(oracle.mayConnect(argv.get(i + 1)))
                            .as("seed %d: socket %s of %s", SEED, argv.get(i + 1), manifest)
                            .isTrue();
                case "--ro-bind-try" ->
                    assertThat(BwrapOptions.DEFAULT.systemMounts().contains(argv.get(i + 1))
                                    || ZONES.contains(argv.get(i + 1)))
                            .isTrue();
                default -> {}
            }
        }
        writable.forEach((path, mayWrite) -> {
            assertThat(oracle.mayRead(path))
                    .as("seed %d: read %s of %s", SEED, path, manifest)
                    .isTrue();
            if (mayWrite) {
                assertThat(oracle.mayWrite(path))
                        .as("seed %d: write %s of %s", SEED, path, manifest)
                        .isTrue();
            }
        });
    }

    /// The other direction: an inner grant must not be lost under an outer mount.
    @Test
    void bwrapKeepsEveryDeclaredTreeReachableAndWritable() {
        forEachManifest((manifest, policy) -> {
            Map<String, Boolean> mounts = replay(Capgate.lowerToBwrap(policy).argv());
            for (Element.FsRoot root : policy.fs()) {
                String top = root.path().bindDirectory();
                String probe = root.path().isFileLike() && !root.path().isGlob()
                        ? root.path().text()
                        : top;
                boolean isWritable = nearest(mounts, probe);
                assertThat(isWritable || !root.isWritable())
                        .as("seed %d: %s lost in %s of %s", SEED, root.print(), mounts, manifest)
                        .isTrue();
            }
        });
    }

    private static Map<String, Boolean> replay(List<String> argv) {
        Map<String, Boolean> mounts = new HashMap<>();
        for (int i = 0; i < argv.size(); i++) {
            if (argv.get(i).equals("--bind") || argv.get(i).equals("--ro-bind")) {
                String path = argv.get(i + 1);
                mounts.keySet().removeIf(old -> isBeneath(old, path));
                mounts.put(path, argv.get(i).equals("--bind"));
            }
        }
        return mounts;
    }

    private static boolean nearest(Map<String, Boolean> mounts, String path) {
        String best = mounts.keySet().stream()
                .filter(mount -> mount.equals(path) || isBeneath(path, mount))
                .max((a, b) -> Integer.compare(a.length(), b.length()))
                .orElseThrow(() -> new AssertionError("seed " + SEED + ": " + path + " is not mounted in " + mounts));
        return Boolean.TRUE.equals(mounts.get(best));
    }

    private static boolean isBeneath(String path, String directory) {
        return !path.equals(directory) && path.startsWith(directory.equals("/") ? "/" : directory + "/");
    }

    @Test
    void dockerGrantsNoVolumeOrVariableBeyondTheManifest() {
        forEachManifest((manifest, policy) -> {
            ContainmentOracle oracle = new ContainmentOracle(manifest);
            Artifact.SandboxArtifact artifact = Capgate.lowerToDocker(policy);
            List<String> argv = artifact.argv();
            Set<String> targets = new HashSet<>();
            for (int i = 0; i < argv.size(); i++) {
                String reason = "seed " + SEED + ": " + argv.get(i) + " of " + manifest;
                if (argv.get(i).equals("--volume")) {
                    String[] parts = argv.get(i + 1).split(":");
                    assertThat(targets.add(parts[1])).as(reason).isTrue();
                    boolean isSocket = oracle.mayConnect(parts[0]);
                    assertThat(isSocket || ZONES.contains(parts[0]) || oracle.mayRead(parts[0]))
                            .as(reason)
                            .isTrue();
                    assertThat(isSocket || parts[2].equals("ro") || oracle.mayWrite(parts[0]))
                            .as(reason)
                            .isTrue();
                } else if (argv.get(i).equals("--env")) {
                    assertThat(oracle.mayHave(argv.get(i + 1))).as(reason).isTrue();
                }
            }
            assertThat(argv.contains("none")).isEqualTo(policy.net().isEmpty());
        });
    }

    @Test
    void egressConfigurationsAllowNoHostOrPortBeyondTheManifest() {
        Pattern accept = Pattern.compile("ip6? daddr (\\S+)(?: tcp dport (\\d+))? accept");
        Pattern destination = Pattern.compile("acl cg_dst_(\\d+) (?:dst|dstdomain) (\\S+)");
        forEachManifest((manifest, policy) -> {
            ContainmentOracle oracle = new ContainmentOracle(manifest);
            String nftables = Capgate.lowerToEgress(
                            policy, EgressOptions.of(EgressKind.NFTABLES).permissive())
                    .config();
            Matcher rule = accept.matcher(nftables);
            while (rule.find()) {
                int port = rule.group(2) == null ? 1 : Integer.parseInt(rule.group(2));
                assertThat(oracle.mayReach(rule.group(1), port))
                        .as("seed %d: %s", SEED, manifest)
                        .isTrue();
            }
            String squid = Capgate.lowerToEgress(
                            policy, EgressOptions.of(EgressKind.SQUID).permissive())
                    .config();
            Matcher named = destination.matcher(squid);
            while (named.find()) {
                Matcher port = Pattern.compile("acl cg_port_" + named.group(1) + " port (\\d+)")
                        .matcher(squid);
                String host = named.group(2).equals(".") ? "anything.example" : named.group(2);
                assertThat(oracle.mayReach(host, port.find() ? Integer.parseInt(port.group(1)) : 1))
                        .as("seed %d: %s", SEED, manifest)
                        .isTrue();
            }
            assertThat(squid).endsWith("http_access deny all");
            assertThat(nftables).contains("policy drop;");
        });
    }

    private interface Claim {
        void check(Manifest manifest, Policy policy);
    }

    private static void forEachManifest(Claim claim) {
        ManifestGenerator generator = new ManifestGenerator(SEED);
        for (int i = 0; i < MANIFESTS; i++) {
            Manifest manifest = generator.manifest();
            claim.check(manifest, Capgate.compile(manifest));
        }
    }
}
