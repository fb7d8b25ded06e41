package dev.capsem.network.address;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.Optional;

/// Tells addresses from names, without ever asking a resolver.
public final class AddressLiterals {
    private AddressLiterals() {}

    /// @param host without brackets
    public static Optional<InetAddress> parse(String host) {
        boolean couldBeIpv4 = !host.isEmpty() && host.chars().allMatch(c -> (c >= '0' && c <= '9') || c == '.');
        boolean couldBeIpv6 = host.indexOf(':') >= 0;
        if (!couldBeIpv4 && !couldBeIpv6) {
            return Optional.empty();
        }
        try {
            return Optional.of(couldBeIpv4 ? Inet4Address.ofLiteral(host) : InetAddress.ofLiteral(host));
        } catch (IllegalArgumentException notAnAddress) {
            return Optional.empty();
        }
    }
}
