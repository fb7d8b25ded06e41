package dev.capsem.sandboxserver.gateway;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// How the gateway is to serve.
///
/// @param address a loopback address: what leaves the machine must be encrypted, and that is a proxy's job
/// @param port 0 lets the system choose
/// @param standalone needs no token
/// @param hosts further names under which clients may reach it, for example through a proxy
public record GatewaySettings(boolean enabled, String address, int port, boolean standalone, Set<String> hosts) {
    public static final int PORT_DEFAULT = 19_222;

    private static final int PORT_MAX = 65_535;
    private static final Pattern LOOPBACK = Pattern.compile("127(\\.(25[0-5]|2[0-4]\\d|1?\\d?\\d)){3}|::1");
    private static final Set<String> OURS = Set.of("localhost", "127.0.0.1", "[::1]");
    private static final Pattern HOST = Pattern.compile("(\\[[0-9a-fA-F:.]+\\]|[A-Za-z0-9._-]+)(:\\d{1,5})?");

    /// After the patterns, which its own check needs.
    public static final GatewaySettings OFF = new GatewaySettings(false, "127.0.0.1", PORT_DEFAULT, false, Set.of());

    public GatewaySettings {
        if (!LOOPBACK.matcher(address).matches()) {
            throw new IllegalArgumentException("the gateway serves on loopback only: 127.x.y.z or ::1");
        }
        if (port < 0 || port > PORT_MAX) {
            throw new IllegalArgumentException("a port is 0 to " + PORT_MAX);
        }
        hosts = Set.copyOf(hosts);
    }

    /// Is this value of a Host header a name of ours? With any port: it may be another one in front of a proxy.
    boolean isOurs(String host) {
        var parts = HOST.matcher(host);
        if (!parts.matches()) {
            return false;
        }
        String name = String.valueOf(parts.group(1)).toLowerCase(Locale.ROOT);
        return OURS.contains(name) || name.equals(inHost()) || hosts.contains(name);
    }

    private String inHost() {
        return address.contains(":") ? "[" + address + "]" : address;
    }

    public String url(int boundPort) {
        return "http://" + inHost() + ":" + boundPort;
    }

    public ObjectNode toJson() {
        ObjectNode json = Json.object()
                .put("enabled", enabled)
                .put("address", address)
                .put("port", port)
                .put("standalone", standalone);
        ArrayNode names = json.putArray("hosts");
        new TreeSet<>(hosts).forEach(names::add);
        return json;
    }

    /// Absent members stay as they were.
    public GatewaySettings changedBy(JsonMembers json) {
        List<String> names = json.texts("hosts");
        return new GatewaySettings(
                json.flag("enabled", enabled),
                json.optionalText("address").orElse(address),
                json.integer("port", port),
                json.flag("standalone", standalone),
                json.has("hosts") ? lowered(names) : hosts);
    }

    private static Set<String> lowered(List<String> names) {
        Set<String> all = new TreeSet<>();
        names.forEach(name -> all.add(name.toLowerCase(Locale.ROOT)));
        return all;
    }
}
