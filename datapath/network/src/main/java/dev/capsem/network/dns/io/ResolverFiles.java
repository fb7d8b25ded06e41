package dev.capsem.network.dns.io;

import dev.capsem.network.dns.HostNamesFile;
import dev.capsem.network.dns.ResolverAddresses;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/// The host's `resolv.conf` and `hosts`, read again when they change. A file that cannot be read counts as empty.
public final class ResolverFiles {
    private static final Path RESOLV_CONF = Path.of("/etc/resolv.conf");
    private static final Path HOSTS = Path.of("/etc/hosts");
    /// How often to look whether a file changed.
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(2);
    /// Larger than any real one; a larger file counts as empty.
    private static final long FILE_BYTES_MAX = 32L << 20;

    private ResolverFiles() {}

    public static Supplier<List<InetSocketAddress>> resolvers() {
        return following(RESOLV_CONF, ResolverAddresses::ofResolvConf, System::nanoTime);
    }

    /// With the names of this host itself, where the file has none of these.
    public static Supplier<HostNamesFile> hosts() {
        return following(HOSTS, text -> HostNamesFile.parse(text).withThisHost(), System::nanoTime);
    }

    static <T> Supplier<T> following(Path file, Function<String, T> parse, LongSupplier nanoTime) {
        return new Followed<>(file, parse, nanoTime);
    }

    private record Version<T>(T value, FileTime modified, long checkedNanos) {}

    private static final class Followed<T> implements Supplier<T> {
        private final Path file;
        private final Function<String, T> parse;
        private final LongSupplier nanoTime;
        private volatile Version<T> current;

        Followed(Path file, Function<String, T> parse, LongSupplier nanoTime) {
            this.file = file;
            this.parse = parse;
            this.nanoTime = nanoTime;
            this.current = read(modified(file));
        }

        /// Two threads may both read a changed file; both then know it.
        @Override
        public T get() {
            Version<T> known = current;
            if (nanoTime.getAsLong() - known.checkedNanos() < LOOK_AGAIN.toNanos()) {
                return known.value();
            }
            FileTime modified = modified(file);
            Version<T> fresh = modified.equals(known.modified())
                    ? new Version<>(known.value(), modified, nanoTime.getAsLong())
                    : read(modified);
            current = fresh;
            return fresh.value();
        }

        private Version<T> read(FileTime modified) {
            return new Version<>(parse.apply(text(file)), modified, nanoTime.getAsLong());
        }
    }

    private static String text(Path file) {
        try {
            return Files.size(file) > FILE_BYTES_MAX
                    ? ""
                    : new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }

    private static FileTime modified(Path file) {
        try {
            return Files.getLastModifiedTime(file);
        } catch (IOException e) {
            return FileTime.fromMillis(0);
        }
    }
}
