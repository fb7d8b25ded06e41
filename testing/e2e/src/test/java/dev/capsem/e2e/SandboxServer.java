package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Commands.Outcome;
import dev.capsem.e2e.Installation.Reply;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
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
        List<String> argv = new ArrayList<>(List.of("curl", "-sS", "--max-time", "200", "-X", method));
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

    /// Calls the runtime protocol with these messages; what comes back, as [#frames] shows it.
    String stream(String sandbox, String method, String... messages) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        for (String json : messages) {
            body.writeBytes(frame(json));
        }
        Reply reply = call(
                        "POST",
                        "/sandbox.v1.Sandbox/" + method,
                        body.toByteArray(),
                        "content-type: application/connect+json",
                        "connect-protocol-version: 1",
                        "x-sandbox-id: " + sandbox)
                .expect(200);
        return frames(ByteBuffer.wrap(reply.body()));
    }

    static byte[] frame(String json) {
        byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(5 + bytes.length)
                .put((byte) 0)
                .putInt(bytes.length)
                .put(bytes)
                .array();
    }

    /// The messages of a stream, one per line; what ends it begins with `end`.
    static String frames(ByteBuffer body) {
        StringBuilder lines = new StringBuilder();
        while (body.hasRemaining()) {
            String end = (body.get() & 2) != 0 ? "end " : "";
            byte[] message = new byte[body.getInt()];
            body.get(message);
            lines.append(end)
                    .append(new String(message, StandardCharsets.UTF_8))
                    .append('\n');
        }
        return lines.toString();
    }
}
