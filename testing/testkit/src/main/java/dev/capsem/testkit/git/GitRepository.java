package dev.capsem.testkit.git;

import dev.capsem.testkit.Programs;
import dev.capsem.testkit.http.Exchange;
import dev.capsem.testkit.http.HttpOrigin;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// One repository with one commit, served as source hosts do (smart HTTP) at `/notes.git`.
public final class GitRepository implements HttpOrigin.Handler {
    private static final Map<String, String> IDENTITY = Map.of(
            "GIT_AUTHOR_NAME", "Test",
            "GIT_AUTHOR_EMAIL", "test@example.test",
            "GIT_COMMITTER_NAME", "Test",
            "GIT_COMMITTER_EMAIL", "test@example.test",
            "GIT_CONFIG_GLOBAL", "/dev/null");

    private final Path root;

    private GitRepository(Path root) {
        this.root = root;
    }

    /// @param content of its only file, `notes.txt`
    public static GitRepository in(Path root, String content) {
        Path work = root.resolve("work");
        try {
            Files.createDirectories(work);
            Files.writeString(work.resolve("notes.txt"), content);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        Programs.run(work, IDENTITY, List.of("git", "init", "-q", "-b", "main"));
        Programs.run(work, IDENTITY, List.of("git", "add", "."));
        Programs.run(work, IDENTITY, List.of("git", "commit", "-q", "-m", "notes"));
        Programs.run(root, IDENTITY, List.of("git", "clone", "-q", "--bare", "work", "notes.git"));
        return new GitRepository(root);
    }

    @Override
    public void handle(Exchange exchange) throws IOException {
        Map<String, String> environment = new HashMap<>(IDENTITY);
        int query = exchange.target().indexOf('?');
        environment.put("GIT_PROJECT_ROOT", root.toString());
        environment.put("GIT_HTTP_EXPORT_ALL", "1");
        environment.put("REQUEST_METHOD", exchange.method());
        environment.put("PATH_INFO", exchange.path());
        environment.put("QUERY_STRING", query < 0 ? "" : exchange.target().substring(query + 1));
        exchange.header("content-type").ifPresent(value -> environment.put("CONTENT_TYPE", value));
        exchange.header("content-encoding").ifPresent(value -> environment.put("HTTP_CONTENT_ENCODING", value));
        exchange.header("git-protocol").ifPresent(value -> environment.put("GIT_PROTOCOL", value));
        ProcessBuilder builder = new ProcessBuilder("git", "http-backend").directory(root.toFile());
        builder.environment().putAll(environment);
        Process process = builder.redirectError(ProcessBuilder.Redirect.DISCARD).start();
        try (OutputStream in = process.getOutputStream()) {
            exchange.body().transferTo(in);
        }
        try (InputStream out = new BufferedInputStream(process.getInputStream())) {
            int status = 200;
            Map<String, String> headers = new HashMap<>();
            for (String line = line(out); !line.isEmpty(); line = line(out)) {
                int colon = line.indexOf(':');
                String name = line.substring(0, colon);
                String value = line.substring(colon + 1).trim();
                if (name.equalsIgnoreCase("status")) {
                    status = Integer.parseInt(value.substring(0, 3));
                } else {
                    headers.put(name, value);
                }
            }
            exchange.reply(status, headers, out.readAllBytes());
        } finally {
            process.destroy();
        }
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder text = new StringBuilder();
        for (int next = in.read(); next != '\n' && next >= 0; next = in.read()) {
            text.append((char) next);
        }
        return new String(text.toString().getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8).strip();
    }
}
