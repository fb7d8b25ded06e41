package dev.capsem.llm;

import dev.capsem.events.row.ModelInteraction;
import java.net.URI;
import java.util.Locale;

/// A place that serves a model API: a provider's own, a gateway, or a test server.
///
/// @param provider whose models it serves: `anthropic`, `openai`, `google`, another name of `ModelHosts`, or any id
/// @param host lower case
/// @param basePath what comes before the API's own paths, without a trailing slash; a version at its end may be there
public record ModelEndpoint(String provider, String host, int port, String basePath) {
    public ModelEndpoint {
        host = host.toLowerCase(Locale.ROOT);
        if (provider.isBlank() || host.isEmpty() || port < 1 || port > 65_535) {
            throw new IllegalArgumentException("a model endpoint has a provider, a host and a port");
        }
        if (!basePath.isEmpty() && (!basePath.startsWith("/") || basePath.endsWith("/"))) {
            throw new IllegalArgumentException("a base path is empty, or starts with / and does not end with it");
        }
    }

    /// Requires: an http or https URL with a host.
    public static ModelEndpoint of(String provider, URI baseUrl) {
        String scheme = String.valueOf(baseUrl.getScheme()).toLowerCase(Locale.ROOT);
        String host = baseUrl.getHost();
        if (host == null || (!scheme.equals("http") && !scheme.equals("https"))) {
            throw new IllegalArgumentException("the base URL of " + provider + " is not http(s)://host[:port][/path]");
        }
        String bare = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
        int usual = scheme.equals("http") ? 80 : 443;
        String path = baseUrl.getPath() == null ? "" : baseUrl.getPath().replaceAll("/+$", "");
        return new ModelEndpoint(provider, bare, baseUrl.getPort() < 0 ? usual : baseUrl.getPort(), path);
    }

    /// The provider in the words of rules: that of the normalized tables, or the provider's own id.
    String ruleName() {
        ModelInteraction.Provider kind = kind();
        return kind == ModelInteraction.Provider.UNKNOWN ? provider : kind.wireName();
    }

    /// The provider in the words of the price table, which has Google's cloud under Google.
    String priceName() {
        return provider.equals("vertex") ? "google" : provider;
    }

    /// The provider in the words of the normalized tables.
    ModelInteraction.Provider kind() {
        return switch (provider) {
            case "anthropic" -> ModelInteraction.Provider.ANTHROPIC;
            case "openai" -> ModelInteraction.Provider.OPENAI;
            case "google" -> ModelInteraction.Provider.GOOGLE_GEMINI;
            default -> ModelInteraction.Provider.UNKNOWN;
        };
    }
}
