package dev.capsem.llm;

import dev.capsem.events.security.SecurityEvent.HttpRequest;
import dev.capsem.llm.provider.ApiFormat;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Tells calls of models from other requests. The path alone decides on the providers' exact domains and on configured
/// endpoints; on any other host the path makes a request a candidate, and its body decides.
final class ModelRoutes {
    /// Requests that ask a model for nothing.
    private static final Set<String> PASSIVE_METHODS = Set.of("HEAD", "GET", "OPTIONS", "DELETE", "TRACE", "CONNECT");

    /// Google serves OpenAI's format as well.
    private static final String GOOGLE_COMPATIBLE = "/v1beta/openai/";

    private final List<ModelEndpoint> configured;

    ModelRoutes(List<ModelEndpoint> configured) {
        this.configured = configured.stream()
                .sorted(Comparator.comparingInt(
                                (ModelEndpoint endpoint) -> endpoint.basePath().length())
                        .reversed())
                .toList();
    }

    /// @param path as the format reads it
    /// @param isCertain whether it is a model call whatever its body says
    record Route(ModelEndpoint endpoint, ApiFormat format, String path, boolean isCertain) {}

    /// However a server may understand the path: whoever spells it oddly must not escape the rules.
    Optional<Route> find(HttpRequest head) {
        return PASSIVE_METHODS.contains(head.method())
                ? Optional.empty()
                : read(head)
                        .or(() -> head.otherReadings().stream()
                                .flatMap(reading -> read(reading).stream())
                                .findFirst());
    }

    private Optional<Route> read(HttpRequest head) {
        ModelPath path = ModelPath.of(head.normalizedPath());
        for (ModelEndpoint endpoint : configured) {
            if (endpoint.host().equals(head.host()) && endpoint.port() == head.port()) {
                Optional<ApiFormat> format = under(endpoint.basePath(), path.text());
                if (format.isPresent()) {
                    return Optional.of(new Route(endpoint, format.get(), path.text(), true));
                }
            }
        }
        return certain(head, path).or(() -> candidate(head, path));
    }

    private static Optional<Route> certain(HttpRequest head, ModelPath path) {
        String provider = ModelHosts.CERTAIN.get(head.host());
        if (provider == null) {
            return Optional.empty();
        }
        String text = path.text();
        String own = text.startsWith(GOOGLE_COMPATIBLE) ? "/v1/" + text.substring(GOOGLE_COMPATIBLE.length()) : text;
        return format(own).map(format -> new Route(endpoint(provider, head), format, text, true));
    }

    private static Optional<Route> candidate(HttpRequest head, ModelPath path) {
        return path.format().map(format -> {
            String provider = Optional.ofNullable(ModelHosts.CERTAIN.get(head.host()))
                    .or(() -> ModelHosts.provider(head.host()))
                    .or(format::provider)
                    .orElse(ModelHosts.UNKNOWN);
            return new Route(endpoint(provider, head), format, path.text(), false);
        });
    }

    private static ModelEndpoint endpoint(String provider, HttpRequest head) {
        return new ModelEndpoint(provider, head.host(), head.port(), "");
    }

    /// A base URL may or may not have the API's version in it.
    private static Optional<ApiFormat> under(String basePath, String path) {
        if (!path.startsWith(basePath + "/")) {
            return Optional.empty();
        }
        String rest = path.substring(basePath.length());
        return format(rest).or(() -> format("/v1" + rest)).or(() -> new ModelPath(rest).format());
    }

    private static Optional<ApiFormat> format(String path) {
        ApiFormat exact = switch (path) {
            case "/v1/messages" -> ApiFormat.ANTHROPIC_MESSAGES;
            case "/v1/complete" -> ApiFormat.ANTHROPIC_OTHER;
            case "/v1/chat/completions" -> ApiFormat.OPENAI_CHAT;
            case "/v1/responses" -> ApiFormat.OPENAI_RESPONSES;
            case "/v1/completions", "/v1/embeddings" -> ApiFormat.OPENAI_OTHER;
            default -> null;
        };
        if (exact != null) {
            return Optional.of(exact);
        }
        if (path.startsWith("/v1/audio/")) {
            return Optional.of(ApiFormat.OPENAI_OTHER);
        }
        String method = path.substring(path.lastIndexOf(':') + 1);
        return switch (method) {
            case "generateContent", "streamGenerateContent" -> Optional.of(ApiFormat.GEMINI);
            case "countTokens",
                    "embedContent",
                    "batchEmbedContents",
                    "asyncBatchEmbedContent",
                    "batchGenerateContent",
                    "generateAnswer",
                    "predict",
                    "predictLongRunning" -> Optional.of(ApiFormat.GEMINI_OTHER);
            default -> Optional.empty();
        };
    }
}
