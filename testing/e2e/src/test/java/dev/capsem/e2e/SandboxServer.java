package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Commands.Outcome;
import dev.capsem.e2e.Installation.Reply;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/// The gateway of an installation, through curl, with one token.
record SandboxServer(Installation installation, String token) {
    /// Asked for each time: turning the gateway on again may change its port.
    String url() {
        try {
            return "http://127.0.0.1:" + Files.readString(installation.home().resolve("run/gateway.port"));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    SandboxServer with(String otherToken) {
        return new SandboxServer(installation, otherToken);
    }

    Reply get(String path) {
        return call("GET", path, new byte[0]);
    }

    Reply delete(String path) {
        return call("DELETE", path, new byte[0]);
    }

    Reply post(String path, String json, String... headers) {
        List<String> all = new ArrayList<>(List.of("content-type: application/json"));
        all.addAll(List.of(headers));
        return call("POST", path, json.getBytes(StandardCharsets.UTF_8), all.toArray(String[]::new));
    }

    Reply call(String method, String path, byte[] body, String... headers) {
        List<String> argv = new ArrayList<>(List.of("curl", "-sS", "--max-time", "100", "-X", method));
        argv.addAll(List.of("-w", "\n%{http_code}", "-H", "expect:"));
        if (!token.isEmpty()) {
            argv.addAll(List.of("-H", "Authorization: Bearer " + token));
        }
        for (String header : headers) {
            argv.addAll(List.of("-H", header));
        }
        if (body.length > 0) {
            argv.addAll(List.of("--data-binary", "@-"));
        }
        argv.add(url() + path);
        Outcome outcome = Commands.run(argv, Map.of(), installation.home(), body);
        assertThat(outcome.exitCode())
                .as("curl %s %s: %s", method, path, outcome.stderr())
                .isZero();
        byte[] all = outcome.stdoutBytes();
        int end = all.length - 4;
        return new Reply(
                Integer.parseInt(new String(all, end + 1, 3, StandardCharsets.US_ASCII)), Arrays.copyOf(all, end));
    }
}
