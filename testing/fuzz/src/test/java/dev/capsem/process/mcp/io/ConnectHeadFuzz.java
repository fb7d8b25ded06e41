package dev.capsem.process.mcp.io;

import dev.capsem.fuzz.Property;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// The first line of what a program behind MCP says to its way out.
public final class ConnectHeadFuzz {
    private ConnectHeadFuzz() {}

    public static void fuzzerTestOneInput(byte[] data) {
        String line = new String(data, StandardCharsets.ISO_8859_1);
        Optional<EgressProxy.Destination> wanted = EgressProxy.parse(line);
        wanted.ifPresent(to -> {
            Property.holds(to.port() >= 1 && to.port() <= 65_535, "no port");
            Property.holds(
                    !to.host().isEmpty()
                            && to.host().chars().allMatch(c -> c > 0x20 && c < 0x7f && "/@[]\\\"".indexOf(c) < 0),
                    "no host: " + to.host());
            String host = to.host().indexOf(':') >= 0 ? "[" + to.host() + "]" : to.host();
            Optional<EgressProxy.Destination> again =
                    EgressProxy.parse("CONNECT " + host + ":" + to.port() + " HTTP/1.1");
            Property.holds(
                    again.isPresent()
                            && again.get().host().equals(to.host())
                            && again.get().port() == to.port(),
                    "a destination that is another when it is written again");
        });
    }
}
