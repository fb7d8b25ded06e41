package dev.capsem.cli.demo;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;

/// What the scripted agent types: with curl over TLS where the sandbox has it, else with nothing but bash, in
/// the clear.
record AgentScript(boolean hasCurl) {
    String get(String url, List<String> headers) {
        return request("GET", url, headers, "");
    }

    String post(String url, List<String> headers, String body) {
        return request("POST", url, headers, body);
    }

    private String request(String method, String url, List<String> headers, String body) {
        return hasCurl ? curl(method, url, headers, body) : bash(method, URI.create(url), headers, body);
    }

    private static String curl(String method, String url, List<String> headers, String body) {
        List<String> words = new ArrayList<>(List.of("curl", "-sS", "--max-time", "25", "-X", method));
        headers.forEach(header -> words.addAll(List.of("-H", quoted(header))));
        if (!body.isEmpty()) {
            words.addAll(List.of("--data-binary", quoted(body)));
        }
        words.add(quoted(url));
        return String.join(" ", words);
    }

    private static String bash(String method, URI url, List<String> headers, String body) {
        int port = url.getPort() < 0 ? 80 : url.getPort();
        String host = url.getHost() + (url.getPort() < 0 ? "" : ":" + port);
        StringBuilder head = new StringBuilder(method + " " + url.getPath() + " HTTP/1.1\\r\\nHost: " + host
                + "\\r\\nAccept: */*\\r\\nConnection: close\\r\\n");
        headers.forEach(header -> head.append(header).append("\\r\\n"));
        if (!body.isEmpty()) {
            head.append("Content-Length: ").append(body.length()).append("\\r\\n");
        }
        String script = "exec 3<>/dev/tcp/" + url.getHost() + "/" + port + " && printf %b " + quoted(head + "\\r\\n")
                + " >&3 && printf %s " + quoted(body) + " >&3 && cat <&3";
        return "bash -c " + quoted(script) + " | tr -d '\\r' | sed '1,/^$/d'";
    }

    /// One word for a shell.
    private static String quoted(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }
}
