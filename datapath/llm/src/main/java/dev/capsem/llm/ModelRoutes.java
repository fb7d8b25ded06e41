package dev.capsem.llm;

import dev.capsem.events.security.SecurityEvent.HttpRequest;
import dev.capsem.llm.provider.ApiFormat;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Tells calls of models from other requests: by the providers' exact domains and by configured endpoints, and there
/// by path. A known path on an unknown host is just HTTP.
final class ModelRoutes {
    private static final Map<String, String> PROVIDER_DOMAINS = Map.of(
            "api.anthropic.com", "anthropic",
            "api.openai.com", "openai",
            "generativelanguage.googleapis.com", "google");

    /// What does not ask a model for anything.
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

    record Route(ModelEndpoint endpoint, ApiFormat format) {}

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
        String path = tidy(head.normalizedPath());
        for (ModelEndpoint endpoint : configured) {
            if (endpoint.host().equals(head.host()) && endpoint.port() == head.port()) {
                Optional<ApiFormat> format = under(endpoint.basePath(), path);
                if (format.isPresent()) {
                    return Optional.of(new Route(endpoint, format.get()));
                }
            }
        }
        String provider = PROVIDER_DOMAINS.get(head.host());
        if (provider == null) {
            return Optional.empty();
        }
        String own = path.startsWith(GOOGLE_COMPATIBLE) ? "/v1/" + path.substring(GOOGLE_COMPATIBLE.length()) : path;
        return format(own).map(format -> new Route(new ModelEndpoint(provider, head.host(), head.port(), ""), format));
    }

    /// Servers take `//` for `/` and a slash at the end for none; whoever spells a path so must not escape the rules.
    private static String tidy(String path) {
        String single = path.contains("//") ? path.replaceAll("/{2,}", "/") : path;
        return single.length() > 1 && single.endsWith("/") ? single.substring(0, single.length() - 1) : single;
    }

    /// A base URL may or may not have the API's version in it.
    private static Optional<ApiFormat> under(String basePath, String path) {
        if (!path.startsWith(basePath + "/")) {
            return Optional.empty();
        }
        String rest = path.substring(basePath.length());
        return format(rest).or(() -> format("/v1" + rest));
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
