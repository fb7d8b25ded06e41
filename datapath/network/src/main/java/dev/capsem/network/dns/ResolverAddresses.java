package dev.capsem.network.dns;

import dev.capsem.network.address.AddressLiterals;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Where resolvers are, in the texts that say so.
public final class ResolverAddresses {
    private static final int PORT = 53;
    private static final Pattern WITH_PORT =
            Pattern.compile("(?:\\[([0-9A-Fa-f:.%a-z]{2,60})]|([0-9.]{7,15}))(?::(\\d{1,5}))?");

    private ResolverAddresses() {}

    /// `192.0.2.1:53` or `[2001:db8::1]:53`, the port optional; empty if it is neither.
    public static Optional<InetSocketAddress> parse(String text) {
        Matcher matcher = WITH_PORT.matcher(text);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        String ipv6 = matcher.group(1);
        String port = matcher.group(3);
        int number = port == null ? PORT : Integer.parseInt(port);
        return number < 1 || number > 65_535
                ? Optional.empty()
                : AddressLiterals.parse(ipv6 != null ? ipv6 : matcher.group(2))
                        .map(address -> new InetSocketAddress(address, number));
    }

    /// The name servers of a `resolv.conf`; without any, the one on this host, as its manual page says.
    public static List<InetSocketAddress> ofResolvConf(String text) {
        List<InetSocketAddress> found = new ArrayList<>();
        text.lines().forEach(line -> {
            String[] words = line.strip().split("\\s+");
            if (words.length >= 2 && words[0].equals("nameserver")) {
                AddressLiterals.parse(words[1]).ifPresent(address -> found.add(new InetSocketAddress(address, PORT)));
            }
        });
        return found.isEmpty()
                ? List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), PORT))
                : List.copyOf(found);
    }
}
