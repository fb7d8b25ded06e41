package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.capsem.e2e.Installation.Executed;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;

/// What a hostile guest tries first. Each probe must give a clear failure, or nothing of the host; as root and as
/// an ordinary user.
@Tag("e2e")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SealTest {
    private static final String SECRET = "capsem-e2e-secret-of-the-host";

    private final List<Installation> installations = new ArrayList<>();

    /// How many instances the kernel gives.
    private static final String INOTIFY = """
            python3 -c '
            import ctypes
            libc = ctypes.CDLL(None)
            count = 0
            while libc.inotify_init1(0) >= 0: count += 1
            print(count)'
            """;

    private static final List<String> NAMESPACES = List.of("ipc", "mnt", "net", "pid", "user", "uts");

    /// Calls with arguments for which the kernel has another answer than EPERM, so that this one is the filter's. As
    /// an ordinary user without the filter none of them says 1.
    private static final String FILTERED = """
            python3 - <<'END'
            import ctypes
            libc = ctypes.CDLL(None, use_errno=True)
            calls = {
                'mount': (165, 1, 1, 1, 0, 1), 'umount2': (166, 1, 0xffff), 'unshare': (272, 1), 'setns': (308, -1, 0),
                'open_tree': (428, -1, 1, 0x7fffffff), 'mount_setattr': (442, -1, 1, 0x7fffffff, 1, 1),
                'clone': (56, 0x20000 | 0x200, 0, 0, 0, 0), 'clone3': (435, 1, 0),
                'ptrace': (101, 16, 999999, 0, 0), 'process_vm_readv': (310, 999999, 0, 0, 0, 0, 1),
                'kcmp': (312, 999999, 999999, 0, 0, 0), 'pidfd_getfd': (438, -1, 0, 1),
                'perf_event_open': (298, 1, 0, -1, -1, 0x7fffffff), 'io_uring_setup': (425, 1, 1),
                'keyctl': (250, 9999, 0, 0, 0, 0), 'add_key': (248, 1, 1, 0, 0, 0),
                'name_to_handle_at': (303, -1, 1, 1, 1, 0), 'raw': (41, 2, 3, 0), 'packet': (41, 17, 99, 0),
                'vsock': (41, 40, 99, 0), 'netfilter': (41, 16, 99, 12), 'socketpair': (53, 2, 1, 0, 1),
                'inject': (16, -1, 0x5412, 0), 'personality': (135, 0x400000), 'prlimit': (302, 1, 7, 1, 0),
            }
            for name, call in calls.items():
                ctypes.set_errno(0)
                answer = libc.syscall(*[ctypes.c_long(argument) for argument in call])
                print(name, 'allowed' if answer >= 0 else ctypes.get_errno())
            END
            """;

    private static final String PING_GROUPS = pingGroups();

    private static String pingGroups() {
        try {
            return Files.readString(Path.of("/proc/sys/net/ipv4/ping_group_range"));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private record Probe(String name, String command, Consumer<Executed> expectation) {}

    @TestFactory
    List<DynamicTest> nothingOfTheHostIsReachable() throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        for (Account account : Account.available()) {
            Installation installation = Installation.start(account);
            installations.add(installation);
            Files.writeString(installation.userDirectory().resolve("secret"), SECRET);
            Files.writeString(installation.home().resolve("secret"), SECRET);
            installation.handOver(installation.userDirectory());
            String sandbox = installation.create();
            for (Probe probe : probes(installation)) {
                tests.add(dynamicTest(account + ": " + probe.name(), () -> {
                    Executed executed = installation.exec(sandbox, probe.command());
                    assertThat(executed.stdout() + executed.stderr()).doesNotContain(SECRET);
                    probe.expectation().accept(executed);
                }));
            }
            tests.add(dynamicTest(
                    account + ": refused connections are recorded", () -> refusalsAreRecorded(installation, sandbox)));
            tests.add(dynamicTest(account + ": the host is untouched", SealTest::hostIsUntouched));
        }
        return tests;
    }

    @AfterAll
    void closeAll() {
        installations.forEach(Installation::close);
    }

    private static List<Probe> probes(Installation installation) {
        Path home = installation.home();
        return List.of(
                new Probe("id says root, of the sandbox only", "id -u; cat /proc/self/uid_map", executed -> {
                    assertThat(executed.stdout()).startsWith("0\n");
                    assertThat(executed.stdout().trim().split("\\s+")[2]).isNotEqualTo("0");
                }),
                // Our own answer: nobody is there who could give one.
                new Probe(
                        "no way out by TCP",
                        "curl -sS --max-time 60 -o /dev/null -w '%{http_code}' http://192.0.2.1",
                        executed -> assertThat(executed.stdout()).isEqualTo("403")),
                new Probe(
                        "the network's settings are the sandbox's own",
                        "cat /proc/sys/net/ipv4/ping_group_range; echo '7 7' > /run/capsem/ping_group_range;"
                                + " echo 1 > /proc/sys/net/ipv4/ip_forward",
                        executed -> {
                            assertThat(executed.stdout()).startsWith("0\t");
                            assertThat(pingGroups()).isEqualTo(PING_GROUPS);
                        }),
                new Probe(
                        "the groups of the host's root stay outside",
                        "grep '^Groups:' /proc/self/status | tr -d ' \\t'",
                        // Nobody but root can give up groups; see "Not defended".
                        executed -> assertThat(executed.stdout().strip())
                                .matches(installation.account() == Account.ROOT ? "Groups:" : "Groups:(65534|0)*")),
                new Probe(
                        "a share of inotify, no more",
                        INOTIFY,
                        executed -> assertThat(
                                        Integer.parseInt(executed.stdout().strip()))
                                .isBetween(16, 64)),
                new Probe(
                        "no way out by TCP over IPv6",
                        "curl -fsS --max-time 10 'http://[2001:db8::1]'",
                        SealTest::fails),
                new Probe(
                        "an unknown name is given an address that stands for it, and nobody was asked",
                        "getent hosts example.com",
                        executed -> assertThat(executed.stdout()).startsWith("198.18.")),
                new Probe("a blocked name does not exist", "getent hosts metadata.google.internal", executed -> {
                    assertThat(executed.exitCode()).isNotZero();
                    assertThat(executed.stdout()).isEmpty();
                }),
                new Probe(
                        "no UDP",
                        "python3 -c \"import socket; s=socket.socket(socket.AF_INET, socket.SOCK_DGRAM);"
                                + " s.sendto(b'x', ('192.0.2.1', 9)); s.settimeout(3); s.recv(1)\"",
                        SealTest::fails),
                new Probe(
                        "QUIC, other datagrams and IPv6 are rejected at once, not left to time out",
                        rejectedAtOnce(),
                        executed -> assertThat(executed.stdout()).isEqualTo("rejected\n".repeat(5))),
                new Probe(
                        "no ICMP",
                        python(
                                "socket.socket(socket.AF_INET, socket.SOCK_DGRAM, 1).sendto(bytes([8] + 7 * [0]), ('192.0.2.1', 0))"),
                        SealTest::fails),
                new Probe(
                        "no raw sockets", python("socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)"), SealTest::fails),
                new Probe("no packet sockets", python("socket.socket(17, socket.SOCK_RAW, 3)"), SealTest::fails),
                new Probe("no vsock", python("socket.socket(40, socket.SOCK_STREAM)"), SealTest::fails),
                new Probe("no netfilter netlink", python("socket.socket(16, socket.SOCK_RAW, 12)"), SealTest::fails),
                new Probe("no mount", "mount -t tmpfs none /mnt || mount --bind / /mnt", SealTest::fails),
                new Probe("no new namespaces", "unshare -Urn true", SealTest::fails),
                new Probe("no new mount namespace", "unshare -m true", SealTest::fails),
                new Probe("environment of pid 1 is closed", "cat /proc/1/environ", SealTest::failsSilently),
                new Probe("descriptors of pid 1 are closed", "ls /proc/1/fd/", SealTest::failsSilently),
                new Probe("root of pid 1 is closed", "ls /proc/1/root/", SealTest::failsSilently),
                new Probe("memory of pid 1 is closed", "cat /proc/1/maps; head -c 1 /proc/1/mem", executed -> {
                    assertThat(executed.stdout()).isEmpty();
                    assertThat(executed.exitCode()).isNotZero();
                }),
                new Probe(
                        "pid 1 survives kill -9",
                        "kill -9 1; kill -TERM 1; kill -STOP 1; sleep 0.2; echo alive",
                        executed -> assertThat(executed.stdout()).isEqualTo("alive\n")),
                new Probe(
                        "no homes of the host",
                        "ls -A /home",
                        executed -> assertThat(executed.stdout()).isEmpty()),
                new Probe(
                        "no Capsem home of the host",
                        "cat " + home + "/secret; ls -A " + home + "; cat " + installation.userDirectory() + "/secret",
                        SealTest::failsSilently),
                new Probe(
                        "no shadow file of the host",
                        "cat /etc/shadow /etc/shadow- /etc/gshadow",
                        executed -> assertThat(executed.stdout()).doesNotContain("$")),
                new Probe(
                        "no keys of the host",
                        "find /etc/ssh /etc/ssl/private /root/.ssh /etc/sudoers /etc/machine-id -type f -size +0"
                                + " -name '*key' -o -name sudoers -o -name machine-id -size +0 2>/dev/null",
                        executed -> assertThat(executed.stdout()).isEmpty()),
                // Without the mount of our own the kernel would say "Permission denied".
                new Probe(
                        "core_pattern cannot be written",
                        "echo '|/bin/false' > /proc/sys/kernel/core_pattern",
                        executed -> assertThat(executed.stderr()).contains("Read-only file system")),
                new Probe(
                        "sysctls cannot be written",
                        "echo 1 > /proc/sys/kernel/panic || echo 1 > /proc/sys/vm/drop_caches",
                        executed -> assertThat(executed.stderr()).contains("Read-only file system")),
                new Probe("sysrq cannot be written", "echo h > /proc/sysrq-trigger", SealTest::fails),
                new Probe(
                        "what of /proc nobody needs is masked",
                        "cut -d' ' -f5 /proc/self/mountinfo",
                        executed -> assertThat(executed.stdout().lines()).containsAll(masked())),
                new Probe(
                        "no namespace is the host's",
                        "for n in " + String.join(" ", NAMESPACES) + "; do readlink /proc/self/ns/$n; done",
                        SealTest::sharesNoNamespace),
                new Probe(
                        "the filter itself denies, whatever the kernel would say",
                        FILTERED,
                        executed -> assertThat(executed.stdout().lines())
                                .hasSize(25)
                                .allMatch(line -> line.equals("clone3 38") || line.endsWith(" 1"))),
                new Probe(
                        "kernel memory is masked",
                        "head -c 1 /proc/kcore | wc -c; ls /sys/kernel 2>/dev/null | wc -l",
                        executed -> assertThat(executed.stdout()).isEqualTo("0\n0\n")),
                new Probe(
                        "no inherited descriptors",
                        "ls /proc/self/fd | sort -n | tr '\\n' ' '",
                        executed ->
                                // 3 is ls's own directory stream.
                                assertThat(executed.stdout().trim()).isEqualTo("0 1 2 3")),
                new Probe(
                        "no host paths in mounts",
                        "cat /proc/self/mounts /proc/self/mountinfo",
                        executed -> assertThat(executed.stdout())
                                .doesNotContain(home.toString())
                                .doesNotContain("/capsem-")
                                .doesNotContain("persistent/")
                                .doesNotContain("sessions/")),
                new Probe(
                        "no second control connection",
                        "ls /run/capsem/vsock; for p in 5000 5001 5005; do "
                                + "python3 -c \"import socket; s=socket.socket(socket.AF_UNIX); s.connect('/run/capsem/vsock/$p')\""
                                + " && echo connected $p; done; true",
                        executed -> assertThat(executed.stdout())
                                .doesNotContain("connected")
                                .doesNotContain("5000")
                                .doesNotContain("5001")
                                .doesNotContain("5005")),
                new Probe("no ptrace", ptrace(), SealTest::fails),
                new Probe(
                        "no bpf, io_uring, userfaultfd, keyctl",
                        forbiddenSystemCalls(),
                        executed -> assertThat(executed.stdout())
                                .isEqualTo("denied 321\ndenied 425\ndenied 323\ndenied 250\n")),
                new Probe(
                        "no privileges left",
                        "grep -E 'Cap(Inh|Prm|Eff|Bnd|Amb)|NoNewPrivs|Seccomp:' /proc/self/status",
                        executed -> assertThat(executed.stdout().replaceAll("[ \t]+", " "))
                                .contains("CapPrm: 0000000000000000")
                                .contains("CapEff: 0000000000000000")
                                .contains("CapBnd: 0000000000000000")
                                .contains("NoNewPrivs: 1")
                                .contains("Seccomp: 2")),
                new Probe(
                        "only its own processes",
                        "ls /proc | grep -c '^[0-9]'",
                        executed -> assertThat(
                                        Integer.parseInt(executed.stdout().trim()))
                                .isLessThan(10)),
                new Probe(
                        "host name is the sandbox's id",
                        "hostname",
                        executed -> assertThat(executed.stdout().trim()).endsWith("-tmp")),
                new Probe("device nodes cannot be made", "mknod /tmp/sda b 8 0", SealTest::fails),
                new Probe(
                        "only harmless devices",
                        "ls /dev",
                        executed -> assertThat(executed.stdout())
                                .doesNotContain("mem")
                                .doesNotContain("kmsg")
                                .doesNotContain("vda")
                                .doesNotContain("sda")
                                .doesNotContain("kvm")));
    }

    private static String rejectedAtOnce() {
        return """
                python3 - <<'PYTHON'
                import socket
                for family, kind, address in (
                        (socket.AF_INET, socket.SOCK_DGRAM, ('192.0.2.1', 443)),
                        (socket.AF_INET, socket.SOCK_DGRAM, ('192.0.2.1', 123)),
                        (socket.AF_INET6, socket.SOCK_DGRAM, ('2001:db8::1', 443)),
                        (socket.AF_INET6, socket.SOCK_DGRAM, ('2001:db8::1', 53)),
                        (socket.AF_INET6, socket.SOCK_STREAM, ('2001:db8::1', 443))):
                    try:
                        s = socket.socket(family, kind)
                        s.settimeout(20)
                        s.connect(address)
                        s.send(b'x')
                        s.recv(1)
                        print('answered')
                    except TimeoutError:
                        print('timed out')
                    except OSError:
                        print('rejected')
                PYTHON
                """;
    }

    private static void refusalsAreRecorded(Installation installation, String sandbox) {
        String timeline = installation.capsem("info", sandbox, "--json").stdout();

        assertThat(Installation.JSON.readTree(timeline).path("denied_requests").asInt())
                .isPositive();
    }

    private static void hostIsUntouched() throws IOException {
        assertThat(Files.readString(Path.of("/proc/sys/kernel/core_pattern"))).doesNotContain("/bin/false");
    }

    /// Those that this kernel has.
    private static List<String> masked() {
        return Stream.of(
                        "sys",
                        "acpi",
                        "bus",
                        "fs",
                        "irq",
                        "cmdline",
                        "kcore",
                        "keys",
                        "kmsg",
                        "sysrq-trigger",
                        "timer_list")
                .map(name -> "/proc/" + name)
                .filter(path -> Files.exists(Path.of(path)))
                .toList();
    }

    private static void sharesNoNamespace(Executed executed) {
        assertThat(executed.stdout().lines()).hasSize(NAMESPACES.size()).allMatch(link -> link.contains(":["));
        for (String name : NAMESPACES) {
            try {
                assertThat(executed.stdout())
                        .doesNotContain(Files.readSymbolicLink(Path.of("/proc/self/ns", name))
                                .toString());
            } catch (IOException unreadable) {
                throw new UncheckedIOException(unreadable);
            }
        }
    }

    private static void fails(Executed executed) {
        assertThat(executed.exitCode()).as("%s", executed.stdout()).isNotZero();
        assertThat(executed.stderr()).as("a clear failure").isNotBlank();
    }

    private static void failsSilently(Executed executed) {
        assertThat(executed.exitCode()).isNotZero();
        assertThat(executed.stdout()).isEmpty();
    }

    private static String python(String expression) {
        return "python3 -c \"import socket; " + expression + "\"";
    }

    private static String ptrace() {
        return "python3 -c \"import ctypes, os, sys; libc = ctypes.CDLL(None, use_errno=True);"
                + " r = libc.ptrace(16, 1, 0, 0); e = ctypes.get_errno();"
                + " print(os.strerror(e), file=sys.stderr); sys.exit(1 if r != 0 else 0)\"";
    }

    private static String forbiddenSystemCalls() {
        return """
                python3 - <<'END'
                import ctypes
                libc = ctypes.CDLL(None, use_errno=True)
                for n in (321, 425, 323, 250):
                    denied = libc.syscall(n, 0, 0, 0, 0, 0) == -1 and ctypes.get_errno() in (1, 38)
                    print('denied' if denied else 'allowed', n)
                END
                """;
    }

    static {
        // The probes rely on python3 and curl inside the sandbox, which come from the host's /usr.
        assertThat(Map.of(
                        "python3",
                        Files.exists(Path.of("/usr/bin/python3")),
                        "curl",
                        Files.exists(Path.of("/usr/bin/curl"))))
                .as("host tools that the probes use: ./capsem setup --tests installs them")
                .doesNotContainValue(false);
    }
}
