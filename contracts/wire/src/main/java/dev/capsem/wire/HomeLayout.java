package dev.capsem.wire;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// Where everything of one installation lives: `$CAPSEM_HOME` and the run directory below it. Names only;
/// creates nothing.
///
/// @param tempDir where a socket goes whose natural path is longer than the kernel takes
public record HomeLayout(Path home, Path runDir, Path serviceSocket, Path tempDir) {
    /// `sun_path` is 108 bytes with its NUL.
    public static final int SOCKET_PATH_BYTES_MAX = 107;

    private static final Pattern SHORT_NAME = Pattern.compile("cs-[0-9a-f]{12,32}");

    /// Reads CAPSEM_HOME, CAPSEM_RUN_DIR and CAPSEM_UDS_PATH, each with its default.
    public static HomeLayout of(Map<String, String> environment, Path userHome, Path tempDir) {
        Path home = path(environment, "CAPSEM_HOME").orElse(userHome.resolve(".capsem"));
        Path runDir = path(environment, "CAPSEM_RUN_DIR").orElse(home.resolve("run"));
        HomeLayout layout = new HomeLayout(home, runDir, runDir, tempDir);
        return layout.withServiceSocket(
                path(environment, "CAPSEM_UDS_PATH").orElse(layout.shortened(runDir.resolve("service.sock"))));
    }

    public HomeLayout withHome(Path newHome) {
        Path absolute = newHome.toAbsolutePath().normalize();
        Path newRun = absolute.resolve("run");
        HomeLayout layout = new HomeLayout(absolute, newRun, newRun, tempDir);
        return layout.withServiceSocket(layout.shortened(newRun.resolve("service.sock")));
    }

    public HomeLayout withServiceSocket(Path socket) {
        return new HomeLayout(home, runDir, socket, tempDir);
    }

    public Path instancesDir() {
        return runDir.resolve("instances");
    }

    /// Session directories of temporary sandboxes.
    public Path sessionsDir() {
        return runDir.resolve("sessions");
    }

    /// Session directories of persistent sandboxes.
    public Path persistentDir() {
        return runDir.resolve("persistent");
    }

    /// The user's files that `apply` replaced; outlives the sandboxes.
    public Path keptDir() {
        return home.resolve("kept");
    }

    public Path registryFile() {
        return runDir.resolve("persistent_registry.json");
    }

    public Path serviceLog() {
        return runDir.resolve("service.log");
    }

    /// Causes of death of our programs' threads, one line each.
    public Path panicLog() {
        return runDir.resolve("panics.log");
    }

    /// Where the JVMs of our programs leave their fatal-error logs, as the launch scripts tell them.
    public Path crashDir() {
        return runDir.resolve("crashes");
    }

    public Path serviceConfiguration() {
        return home.resolve("service.toml");
    }

    public Path mainDatabase() {
        return home.resolve("sessions").resolve("main.db");
    }

    /// The base template of the bwrap driver.
    public Path template() {
        return home.resolve("template");
    }

    /// The certificate of a private authority; without it, the built-in one is used.
    public Path authorityCertificate() {
        return home.resolve("ca").resolve("capsem-ca.crt");
    }

    public Path authorityKey() {
        return home.resolve("ca").resolve("capsem-ca.key");
    }

    public Path instanceSocket(SandboxId id) {
        return shortened(instancesDir().resolve(id.value() + ".sock"));
    }

    /// A directory for the port sockets of one start of a sandbox. Named by a token, not by the sandbox's id: the
    /// id may change while it runs. Never below the home: the guest reads this path in its mount table.
    public Path runtimeDir(String token) {
        return shortDir().resolve(token);
    }

    /// Private to this run directory; whoever creates it makes it 0700 and checks that it is theirs. Its name tells
    /// the guest nothing.
    public Path shortDir() {
        return tempDir.resolve(otherShortName().orElseGet(() -> "cs-" + hash(runDir.toString(), 12)));
    }

    /// Holds the name of the short directory where somebody else had taken the usual one, which everybody can compute.
    public Path shortNameFile() {
        return runDir.resolve("short_name");
    }

    private Optional<String> otherShortName() {
        try {
            return Optional.of(Files.readString(shortNameFile()).strip())
                    .filter(name -> SHORT_NAME.matcher(name).matches());
        } catch (IOException usual) {
            return Optional.empty();
        }
    }

    private Path shortened(Path socket) {
        return bytes(socket) <= SOCKET_PATH_BYTES_MAX
                ? socket
                : shortDir().resolve(hash(socket.toString(), 16) + ".sock");
    }

    private static int bytes(Path path) {
        return path.toString().getBytes(StandardCharsets.UTF_8).length;
    }

    private static Optional<Path> path(Map<String, String> environment, String name) {
        return Optional.ofNullable(environment.get(name))
                .filter(value -> !value.isEmpty())
                .map(value -> Path.of(value).toAbsolutePath().normalize());
    }

    private static String hash(String text, int digits) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest).substring(0, digits);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
