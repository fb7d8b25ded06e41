package dev.capsem.policy.property;

import dev.capsem.policy.manifest.Manifest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// What a manifest's strings allow, worked out from the strings alone: no parser, policy or plan of the compiler.
///
/// It answers for one concrete path, host and port, or variable at a time, with the documented widenings: a sandbox
/// binds directories, so a pattern or a file stands for the directory that holds it.
final class ContainmentOracle {
    private record FsClaim(String path, Set<String> actions) {}

    private record NetClaim(String host, String port) {}

    private final List<FsClaim> files = new ArrayList<>();
    private final List<NetClaim> peers = new ArrayList<>();
    private final Set<String> variables = new HashSet<>();
    private final Set<String> sockets = new HashSet<>();

    ContainmentOracle(Manifest manifest) {
        manifest.serverCapabilities().forEach(declared -> claim(declared.text()));
        manifest.tools().forEach(tool -> tool.capabilities().forEach(declared -> claim(declared.text())));
    }

    private void claim(String text) {
        String body = text.split("\\?")[0];
        String[] parts = body.split(":", 3);
        switch (parts[0]) {
            case "fs" -> files.add(new FsClaim(parts[2], new HashSet<>(Arrays.asList(parts[1].split(",")))));
            case "net" -> peers.add(peer(parts[2]));
            case "env" -> variables.add(parts[2]);
            case "ipc" -> sockets.add(parts[2].replace("\"", ""));
            default -> {}
        }
    }

    private static NetClaim peer(String text) {
        if (text.startsWith("\"")) {
            int end = text.indexOf('"', 1);
            return new NetClaim(text.substring(1, end), end + 1 < text.length() ? text.substring(end + 2) : "");
        }
        int colon = text.indexOf(':');
        return colon < 0 ? new NetClaim(text, "") : new NetClaim(text.substring(0, colon), text.substring(colon + 1));
    }

    boolean mayRead(String path) {
        return files.stream().anyMatch(claim -> covers(claim, path));
    }

    boolean mayWrite(String path) {
        return files.stream().anyMatch(claim -> !claim.actions().equals(Set.of("read")) && covers(claim, path));
    }

    boolean mayReach(String host, int port) {
        return peers.stream()
                .anyMatch(peer -> (peer.port().isEmpty() || peer.port().equals(Integer.toString(port)))
                        && matches(peer.host(), host));
    }

    boolean mayHave(String variable) {
        return variables.contains(variable) || (variable.equals("DISPLAY") && sockets.contains("x11"));
    }

    boolean mayConnect(String socket) {
        return sockets.contains("unix:" + socket)
                || (socket.equals("/tmp/.X11-unix") && sockets.contains("x11"))
                || (socket.equals("/run/dbus/system_bus_socket") && sockets.contains("dbus:system"));
    }

    private static boolean matches(String pattern, String host) {
        return pattern.equals("*")
                || pattern.equals(host)
                || (pattern.startsWith("*.")
                        && host.endsWith(pattern.substring(1))
                        && host.length() > pattern.length() - 1);
    }

    private static boolean covers(FsClaim claim, String path) {
        String top = directory(claim.path());
        return path.equals(top) || path.startsWith(top.equals("/") ? "/" : top + "/");
    }

    private static String directory(String declared) {
        for (String suffix : List.of("/**", "/*", "/")) {
            if (declared.endsWith(suffix)) {
                String top = declared.substring(0, declared.length() - suffix.length());
                return top.isEmpty() ? "/" : top;
            }
        }
        String last = declared.substring(declared.lastIndexOf('/') + 1);
        if (last.lastIndexOf('.') > 0) {
            String top = declared.substring(0, declared.lastIndexOf('/'));
            return top.isEmpty() ? "/" : top;
        }
        return declared;
    }
}
