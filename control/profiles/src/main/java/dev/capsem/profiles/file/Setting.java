package dev.capsem.profiles.file;

import dev.capsem.profiles.vocabulary.Section;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// A setting by its path, which also says what values it takes.
public record Setting(String path) implements Comparable<Setting> {
    public static final Setting RAM_MB = new Setting("vm.ram_mb");
    public static final Setting CPUS = new Setting("vm.cpus");
    public static final Setting DISK_MB = new Setting("vm.disk_mb");
    public static final Setting IMPORT_SERVERS = new Setting("import.mcp_servers");
    public static final Setting IMPORT_REGISTRIES = new Setting("import.registries");
    public static final Setting RESOLVERS = new Setting("network.resolvers");
    public static final Setting UPSTREAM_PROXY = new Setting("network.upstream_proxy");
    public static final Setting PROXY_CREDENTIALS = new Setting("network.upstream_proxy_credentials");
    public static final Setting EXTRA_CA = new Setting("network.extra_ca");
    public static final Setting UNWATCHED = new Setting("approvals.unwatched");
    public static final String CLIENT_CERTIFICATES = "network.client_certificates.";
    public static final String ENVIRONMENT = "vm.env.";
    public static final String PROVIDERS = "ai.providers.";
    public static final String BASE_URL = ".base_url";
    public static final List<Setting> FLAGS = List.of(IMPORT_SERVERS, IMPORT_REGISTRIES);

    /// The fate of a question while no approver watches.
    public static final List<String> UNWATCHED_VALUES = List.of("block", "wait");

    /// The limits of a sandbox.
    public static final int RAM_MB_MIN = 256;

    public static final int RAM_MB_MAX = 16_384;
    public static final int CPUS_MIN = 1;
    public static final int CPUS_MAX = 8;
    /// Less would not hold what an empty sandbox writes at its start.
    public static final int DISK_MB_MIN = 16;

    public static final int DISK_MB_MAX = 1_048_576;
    static final int VARIABLE_CHARS_MAX = 128 * 1024;

    private static final Pattern PROVIDER = Pattern.compile("[a-z0-9][a-z0-9_-]{0,63}");
    private static final Pattern HOST = Pattern.compile("[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?");
    private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,255}");

    /// Names that change what a shell or the loader runs before the command itself.
    private static final Set<String> REFUSED =
            Set.of("IFS", "BASH_ENV", "ENV", "CDPATH", "GLOBIGNORE", "SHELLOPTS", "BASHOPTS", "PROMPT_COMMAND", "PS4");

    /// The bounds of a number; empty for a setting that is no number.
    public Optional<Range> range() {
        if (equals(RAM_MB)) {
            return Optional.of(new Range(RAM_MB_MIN, RAM_MB_MAX));
        }
        if (equals(DISK_MB)) {
            return Optional.of(new Range(DISK_MB_MIN, DISK_MB_MAX));
        }
        return equals(CPUS) ? Optional.of(new Range(CPUS_MIN, CPUS_MAX)) : Optional.empty();
    }

    public record Range(int min, int max) {}

    /// The setting of that path, if there is one.
    public static Optional<Setting> of(String path) {
        boolean known = List.of(
                                RAM_MB,
                                CPUS,
                                DISK_MB,
                                IMPORT_SERVERS,
                                IMPORT_REGISTRIES,
                                RESOLVERS,
                                UPSTREAM_PROXY,
                                PROXY_CREDENTIALS,
                                EXTRA_CA,
                                UNWATCHED)
                        .contains(new Setting(path))
                || provider(path).isPresent()
                || (path.startsWith(CLIENT_CERTIFICATES) && isHost(path.substring(CLIENT_CERTIFICATES.length())))
                || (path.startsWith(ENVIRONMENT)
                        && variableFault(path.substring(ENVIRONMENT.length())).isEmpty());
        return known ? Optional.of(new Setting(path)) : Optional.empty();
    }

    /// Why a variable may not be set; empty if it may.
    public static Optional<String> variableFault(String name) {
        if (REFUSED.contains(name) || name.startsWith("LD_") || name.startsWith("BASH_FUNC_")) {
            return Optional.of("the variable " + name + " is refused: it changes what a shell or the loader runs.");
        }
        return VARIABLE.matcher(name).matches()
                ? Optional.empty()
                : Optional.of("a variable's name has letters, digits and _.");
    }

    /// The provider whose base URL this path sets, if it is such a path.
    public static Optional<String> provider(String path) {
        if (!path.startsWith(PROVIDERS) || !path.endsWith(BASE_URL)) {
            return Optional.empty();
        }
        int end = path.length() - BASE_URL.length();
        return Optional.of(path.substring(PROVIDERS.length(), Math.max(PROVIDERS.length(), end)))
                .filter(Setting::isProvider);
    }

    static boolean isHost(String name) {
        return HOST.matcher(name).matches();
    }

    static boolean isProvider(String name) {
        return PROVIDER.matcher(name).matches();
    }

    /// Questions are asked by rules: where these are locked, so is what becomes of them.
    public Section section() {
        if (equals(UNWATCHED)) {
            return Section.SECURITY_RULES;
        }
        if (path.startsWith("vm.")) {
            return Section.VM;
        }
        if (path.startsWith("network.")) {
            return Section.NETWORK;
        }
        return path.startsWith("ai.") ? Section.AI : Section.IMPORT;
    }

    @Override
    public int compareTo(Setting other) {
        return path.compareTo(other.path);
    }

    @Override
    public String toString() {
        return path;
    }
}
