package dev.capsem.network.dns;

import dev.capsem.events.address.ThisHost;
import dev.capsem.network.address.AddressLiterals;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// The host's own `/etc/hosts`, which its programs ask before DNS.
public record HostNamesFile(Map<String, List<InetAddress>> addresses) {
    public static final HostNamesFile EMPTY = new HostNamesFile(Map.of());
    /// Some people block advertisements with hosts files; beyond this the rest is not read.
    private static final int LINES_MAX = 500_000;

    public HostNamesFile {
        addresses = Map.copyOf(addresses);
    }

    /// Lines that are not an address with names are passed over, as every reader of that file does.
    public static HostNamesFile parse(String text) {
        Map<String, List<InetAddress>> addresses = new HashMap<>();
        text.lines().limit(LINES_MAX).forEach(line -> {
            String[] words = line.split("#", 2)[0].strip().split("\\s+");
            AddressLiterals.parse(words[0]).ifPresent(address -> {
                for (int i = 1; i < words.length; i++) {
                    addresses
                            .computeIfAbsent(words[i].toLowerCase(Locale.ROOT), _ -> new ArrayList<>())
                            .add(address);
                }
            });
        });
        addresses.replaceAll((_, found) -> List.copyOf(found));
        return new HostNamesFile(addresses);
    }

    public HostNamesFile withThisHost() {
        Map<String, List<InetAddress>> all = new HashMap<>(addresses);
        ThisHost.NAMES.forEach(name -> all.putIfAbsent(name, List.of(ThisHost.ADDRESS)));
        return new HostNamesFile(all);
    }

    List<InetAddress> of(String host) {
        return addresses.getOrDefault(host, List.of());
    }
}
