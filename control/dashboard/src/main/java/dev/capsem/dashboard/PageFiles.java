package dev.capsem.dashboard;

import dev.capsem.http.HttpAnswer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The files of the page, read once. A request names one of them or nothing: no path is built from what it says.
final class PageFiles {
    private static final List<String> NAMES = List.of(
            "index.html",
            "style.css",
            "icon.svg",
            "app.js",
            "api.js",
            "dom.js",
            "inbox.js",
            "sandboxes.js",
            "session.js",
            "changes.js",
            "spend.js",
            "rules.js",
            "tools.js",
            "health.js");

    private final Map<String, HttpAnswer> files = new HashMap<>();

    PageFiles() {
        for (String name : NAMES) {
            files.put("/" + name, new HttpAnswer.Page(200, mediaType(name), bytes(name)));
        }
        files.put("/", new HttpAnswer.Page(200, mediaType("index.html"), bytes("index.html")));
    }

    Optional<HttpAnswer> find(String path) {
        return Optional.ofNullable(files.get(path));
    }

    private static String mediaType(String name) {
        return switch (name.substring(name.lastIndexOf('.') + 1)) {
            case "html" -> "text/html; charset=utf-8";
            case "css" -> "text/css; charset=utf-8";
            case "svg" -> "image/svg+xml";
            default -> "text/javascript; charset=utf-8";
        };
    }

    private static byte[] bytes(String name) {
        try (InputStream in = PageFiles.class.getResourceAsStream("page/" + name)) {
            if (in == null) {
                throw new IllegalStateException("the page's file " + name + " is not in this build");
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
