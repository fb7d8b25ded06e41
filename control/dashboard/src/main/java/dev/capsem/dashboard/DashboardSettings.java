package dev.capsem.dashboard;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.util.HexFormat;
import tools.jackson.databind.node.ObjectNode;

/// How the dashboard is to serve, kept so that a page in a browser goes on after a restart of the service.
///
/// @param port 0 until one was chosen
/// @param key signs the cookies of all browsers; a new one signs them all out
public record DashboardSettings(boolean enabled, int port, SigningKey key) {
    private static final int PORT_MAX = 65_535;

    public DashboardSettings {
        if (port < 0 || port > PORT_MAX) {
            throw new IllegalArgumentException("a port is 0 to " + PORT_MAX);
        }
    }

    static DashboardSettings of(JsonMembers json) {
        return new DashboardSettings(
                json.flag("enabled", false),
                json.integer("port", 0),
                new SigningKey(HexFormat.of().parseHex(json.text("key"))));
    }

    /// The host in the page's address. Browsers take every name below `localhost` for this machine. Cookies know no
    /// ports: with a name of its own, the dashboard's cookie is never sent to other servers of this machine.
    String host() {
        return "capsem-" + key.label() + ".localhost";
    }

    /// Requires: a port was chosen.
    public String url() {
        return "http://" + host() + ":" + port;
    }

    ObjectNode toJson() {
        return Json.object().put("enabled", enabled).put("port", port).put("key", key.hex());
    }

    DashboardSettings on(int chosenPort) {
        return new DashboardSettings(true, chosenPort, key);
    }

    DashboardSettings off() {
        return new DashboardSettings(false, port, key);
    }
}
