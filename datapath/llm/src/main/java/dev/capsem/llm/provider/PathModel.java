package dev.capsem.llm.provider;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The model that a path names. Where there is one, servers take no other from the body.
final class PathModel {
    private static final List<Pattern> PATTERNS = List.of(
            // Google: `…/models/<model>:<method>`, and the same for models of one's own.
            Pattern.compile("/(?:models|tunedModels|endpoints)/([^/]+):[A-Za-z]+$"),
            // Bedrock, where an id may have slashes of its own.
            Pattern.compile(
                    "/model/(.+)/(?:invoke|converse)(?:-with-response-stream|-stream)?$", Pattern.CASE_INSENSITIVE),
            // Azure.
            Pattern.compile("/openai/deployments/([^/]+)/", Pattern.CASE_INSENSITIVE));

    private PathModel() {}

    static boolean isStream(String path) {
        String small = path.toLowerCase(Locale.ROOT);
        return small.contains(":stream") || small.endsWith("-stream");
    }

    static Optional<String> of(String path) {
        return PATTERNS.stream()
                .map(pattern -> pattern.matcher(path))
                .filter(Matcher::find)
                .map(matcher -> matcher.group(1))
                .findFirst();
    }
}
