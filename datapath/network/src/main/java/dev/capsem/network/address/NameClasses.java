package dev.capsem.network.address;

import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The class of a name by its spelling, for names that nobody here can resolve.
public final class NameClasses {
    private static final InetAddress LOOPBACK = InetAddress.ofLiteral("127.0.0.1");
    private static final InetAddress METADATA = InetAddress.ofLiteral("169.254.169.254");
    private static final InetAddress PRIVATE = InetAddress.ofLiteral("10.0.0.0");

    /// Names under which clouds hand credentials to whoever asks.
    private static final List<String> METADATA_NAMES = List.of(
            "metadata",
            "metadata.google.internal",
            "metadata.goog",
            "metadata.azure.internal",
            "metadata.tencentyun.com",
            "instance-data",
            "instance-data.ec2.internal");

    /// Set aside for networks of one's own (RFC 6762, RFC 8375, ICANN), or used by nothing else.
    private static final List<String> PRIVATE_ENDINGS =
            List.of("internal", "local", "lan", "home", "corp", "intranet", "home.arpa");

    private NameClasses() {}

    /// An address of the class that the name belongs to by itself; empty for a name like any other. A name of one label
    /// is one of a local network: no host of the Internet has such a name.
    ///
    /// @param host without a trailing dot
    public static Optional<InetAddress> standIn(String host) {
        String name = host.toLowerCase(Locale.ROOT);
        if (isUnder(name, "localhost")) {
            return Optional.of(LOOPBACK);
        }
        if (METADATA_NAMES.stream().anyMatch(known -> isUnder(name, known))) {
            return Optional.of(METADATA);
        }
        boolean isPrivate = name.indexOf('.') < 0 || PRIVATE_ENDINGS.stream().anyMatch(ending -> isUnder(name, ending));
        return isPrivate ? Optional.of(PRIVATE) : Optional.empty();
    }

    private static boolean isUnder(String name, String parent) {
        return name.equals(parent) || name.endsWith("." + parent);
    }
}
