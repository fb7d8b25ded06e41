package dev.capsem.cli.secret;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What a grant for a well-known service looks like, so that its name is enough.
///
/// @param variable where the service's clients look for their key
record KnownService(List<String> hosts, List<String> places, String variable) {
    private static final String BEARER = "header:authorization";

    private static final Map<String, KnownService> ALL = Map.of(
            "anthropic",
            new KnownService(List.of("api.anthropic.com"), List.of("header:x-api-key", BEARER), "ANTHROPIC_API_KEY"),
            "openai",
            new KnownService(List.of("api.openai.com"), List.of(BEARER), "OPENAI_API_KEY"),
            "gemini",
            new KnownService(
                    List.of("generativelanguage.googleapis.com"),
                    List.of("header:x-goog-api-key", "query:key"),
                    "GEMINI_API_KEY"),
            "openrouter",
            new KnownService(List.of("openrouter.ai"), List.of(BEARER), "OPENROUTER_API_KEY"),
            "github",
            new KnownService(
                    List.of("github.com", "api.github.com", "uploads.github.com"),
                    List.of(BEARER, "basic"),
                    "GH_TOKEN"),
            "gitlab",
            new KnownService(List.of("gitlab.com"), List.of(BEARER, "header:private-token", "basic"), "GITLAB_TOKEN"));

    static Optional<KnownService> named(String name) {
        return Optional.ofNullable(ALL.get(name));
    }

    static String names() {
        return String.join(", ", ALL.keySet().stream().sorted().toList());
    }
}
