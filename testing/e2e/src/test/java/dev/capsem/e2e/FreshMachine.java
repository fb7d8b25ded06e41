package dev.capsem.e2e;

import dev.capsem.e2e.Commands.Outcome;
import dev.capsem.testkit.Programs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// A clone of the repository on a machine that has only the programs a test gives it. Its package manager is a script:
/// no test installs anything on this host.
final class FreshMachine implements AutoCloseable {
    private static final Path REPOSITORY = Path.of(System.getProperty("capsem.dist", "../../dist"))
            .toAbsolutePath()
            .normalize()
            .resolveSibling("");

    private static final List<String> ALWAYS_THERE = List.of(
            "cat",
            "chmod",
            "cp",
            "date",
            "dirname",
            "env",
            "find",
            "flock",
            "grep",
            "head",
            "id",
            "install",
            "kill",
            "ls",
            "mkdir",
            "mktemp",
            "readlink",
            "rm",
            "sed",
            "seq",
            "sh",
            "sleep",
            "sort",
            "tail",
            "touch",
            "tr",
            "uname");

    /// Says how far it is as apt does, and installs bubblewrap by a link.
    private static final String PACKAGE_MANAGER = """
            #!/bin/sh
            echo "$*" >>"$FRESH_MACHINE/asked"
            case "$*" in *install*) ;; *) exit 0 ;; esac
            [ ! -e "$FRESH_MACHINE/broken" ] || { echo 'E: the mirror is gone' >&2; exit 100; }
            echo 'dlstatus:1:50.0:Retrieving file 1 of 1'
            echo 'pmstatus:bubblewrap:100.0:Installed bubblewrap'
            ln -s /usr/bin/bwrap "$FRESH_MACHINE/programs/bwrap"
            """;

    private final Account account;
    private final Path root;

    FreshMachine(Account account) {
        this.account = account;
        try {
            root = Files.createTempDirectory(
                    Path.of("/tmp"),
                    "csfresh",
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
            Files.createDirectories(programs());
            Files.createDirectories(tree().resolve("scripts"));
            ALWAYS_THERE.forEach(this::has);
            has("ln");
            script(programs().resolve("apt-get"), PACKAGE_MANAGER);
            copy("capsem");
            try (Stream<Path> scripts = Files.list(REPOSITORY.resolve("scripts"))) {
                scripts.forEach(file -> copy("scripts/" + file.getFileName()));
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    Path tree() {
        return root.resolve("clone");
    }

    Path dist() {
        return tree().resolve("dist");
    }

    private Path programs() {
        return root.resolve("programs");
    }

    /// Gives it a program of this host.
    FreshMachine has(String... names) {
        for (String name : names) {
            Path program = Programs.find(name).orElseThrow(() -> new AssertionError("no " + name + " on this host"));
            try {
                Files.createSymbolicLink(programs().resolve(name), program);
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        }
        return this;
    }

    FreshMachine hasBuildTools() {
        return has("make", "gcc", "cc", "mvn", "setpriv", "as", "ld");
    }

    /// Gives it a script under this name.
    FreshMachine has(String name, String text) {
        script(programs().resolve(name), text);
        return this;
    }

    /// Puts a program into dist/ as a build leaves it; nothing is newer.
    FreshMachine isBuilt() {
        script(dist().resolve("bin/capsem"), "#!/bin/sh\necho \"started $* as ${CAPSEM_CALLED_AS-}\"\n");
        write("clone/dist/.stamp", "");
        return this;
    }

    FreshMachine write(String name, String text) {
        try {
            Path file = root.resolve(name);
            Files.createDirectories(file.getParent());
            Files.writeString(file, text);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        return this;
    }

    /// What the package manager was asked.
    String asked() {
        try {
            return Files.exists(root.resolve("asked")) ? Files.readString(root.resolve("asked")) : "";
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    Outcome capsem(String... arguments) {
        return run(Stream.concat(Stream.of("./capsem"), Stream.of(arguments)).toList(), Map.of());
    }

    Outcome run(List<String> argv, Map<String, String> more) {
        if (account.isForeign()) {
            String owner = Account.USER_ID + ":" + Account.USER_ID;
            Programs.run(Path.of("/"), List.of("chown", "-R", "-h", owner, root.toString()));
        }
        Map<String, String> environment = new HashMap<>(more);
        environment.put("PATH", programs().toString());
        environment.put("JAVA_HOME", System.getProperty("java.home"));
        environment.put("HOME", root.toString());
        environment.put("FRESH_MACHINE", root.toString());
        List<String> command = account.command(argv);
        String first = command.getFirst();
        Path program = first.startsWith("./")
                ? tree().resolve(first.substring(2))
                : Programs.find(first).orElse(Path.of(first));
        return Commands.run(
                Stream.concat(Stream.of(program.toString()), command.stream().skip(1))
                        .toList(),
                environment,
                tree(),
                new byte[0]);
    }

    @Override
    public void close() {
        Programs.run(Path.of("/"), List.of("chmod", "-R", "u+rwX", root.toString()));
        Programs.run(Path.of("/"), List.of("rm", "-rf", root.toString()));
    }

    private void copy(String name) {
        try {
            Files.copy(REPOSITORY.resolve(name), tree().resolve(name));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static void script(Path file, String text) {
        try {
            Files.createDirectories(file.getParent());
            Files.writeString(file, text);
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
