package dev.capsem.profiles.file;

import dev.capsem.profiles.secret.SecretRef;
import dev.capsem.profiles.secret.SecretTemplate;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What the settings of `[network]` and `[ai.providers]` may hold. Each method says what is wrong; empty if nothing.
final class NetworkValue {
    /// More name servers than any resolver asks.
    static final int RESOLVERS_MAX = 8;

    private static final int PORT_MAX = 65_535;

    private static final Pattern RESOLVER =
            Pattern.compile("([0-9]{1,3}(?:\\.[0-9]{1,3}){3}|\\[[0-9a-fA-F:.]{2,45}])(?::([0-9]{1,5}))?");

    private NetworkValue() {}

    static Optional<String> fault(Setting setting, String value) {
        if (setting.equals(Setting.RESOLVERS)) {
            return resolvers(List.of(value.split(",", -1)));
        }
        if (setting.equals(Setting.UPSTREAM_PROXY)) {
            return proxy(value);
        }
        if (setting.equals(Setting.PROXY_CREDENTIALS)) {
            return credentials(value);
        }
        if (setting.path().startsWith(Setting.CLIENT_CERTIFICATES)) {
            return clientCertificate(value);
        }
        return setting.equals(Setting.EXTRA_CA) ? file(value) : baseUrl(value);
    }

    static Optional<String> resolvers(List<String> values) {
        if (values.isEmpty() || values.size() > RESOLVERS_MAX) {
            return Optional.of(
                    "resolvers are 1 to " + RESOLVERS_MAX + " addresses; leave them out for the host's own.");
        }
        return values.stream().allMatch(NetworkValue::isResolver)
                ? Optional.empty()
                : Optional.of(
                        "a resolver is an address with a port, such as \"192.0.2.1:53\" or \"[2001:db8::1]:53\".");
    }

    private static boolean isResolver(String value) {
        Matcher matcher = RESOLVER.matcher(value);
        if (!matcher.matches()) {
            return false;
        }
        String port = matcher.group(2);
        boolean isPort = port == null || isPort(Integer.parseInt(port));
        boolean isAddress = value.startsWith("[")
                || List.of(matcher.group(1).split("\\.")).stream()
                        .allMatch(part -> Integer.parseInt(part) <= 255 && !part.matches("0[0-9]+"));
        return isPort && isAddress;
    }

    private static boolean isPort(int port) {
        return port >= 1 && port <= PORT_MAX;
    }

    private static Optional<String> proxy(String value) {
        Optional<String> bad = Optional.of(
                "upstream_proxy is http://host:port, without user, password and path; name its credentials with"
                        + " upstream_proxy_credentials.");
        return uri(value)
                .filter(uri -> "http".equals(uri.getScheme()))
                .filter(uri -> uri.getHost() != null && isPort(uri.getPort()) && isBare(uri))
                .filter(uri -> uri.getRawPath().isEmpty() || uri.getRawPath().equals("/"))
                .map(_ -> Optional.<String>empty())
                .orElse(bad);
    }

    private static Optional<String> clientCertificate(String value) {
        return isOneSecret(value) || file(value).isEmpty()
                ? Optional.empty()
                : Optional.of("a client certificate is ${secret:NAME}, or the absolute path of a file (PEM), with the"
                        + " certificate and its key.");
    }

    private static boolean isOneSecret(String value) {
        return SecretTemplate.parse(value) instanceof SecretTemplate.Parsed.Ok(SecretTemplate template)
                && template.pieces().size() == 1
                && template.pieces().getFirst() instanceof SecretTemplate.Piece.Reference(SecretRef.Stored _);
    }

    private static Optional<String> credentials(String value) {
        return isOneSecret(value)
                ? Optional.empty()
                : Optional.of("upstream_proxy_credentials is ${secret:NAME}; the secret itself is user:password.");
    }

    private static Optional<String> file(String value) {
        return value.startsWith("/") && value.length() <= 4_096 && value.indexOf('\0') < 0
                ? Optional.empty()
                : Optional.of("extra_ca is the absolute path of a file of certificates (PEM).");
    }

    private static Optional<String> baseUrl(String value) {
        return uri(value)
                .filter(uri -> List.of("http", "https")
                        .contains(String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT)))
                .filter(uri -> uri.getHost() != null && isBare(uri))
                .filter(uri -> uri.getPort() == -1 || isPort(uri.getPort()))
                .map(_ -> Optional.<String>empty())
                .orElse(Optional.of("base_url is http(s)://host[:port][/path], without user and query."));
    }

    private static boolean isBare(URI uri) {
        return uri.getRawUserInfo() == null && uri.getRawQuery() == null && uri.getRawFragment() == null;
    }

    private static Optional<URI> uri(String value) {
        try {
            return Optional.of(new URI(value));
        } catch (URISyntaxException malformed) {
            return Optional.empty();
        }
    }

    /// What is probably meant otherwise: clients add the rest of the path themselves, so that calls below a longer one
    /// are not read as this provider's.
    static Optional<String> doubt(String provider, String baseUrl) {
        String url = baseUrl.replaceFirst("/+$", "");
        List<String> added = switch (provider) {
            case "anthropic" -> List.of("/v1/messages", "/v1");
            case "openai" -> List.of("/chat/completions", "/responses");
            case "google", "gemini", "google_gemini" -> List.of("/v1beta/models", "/v1beta", "/models");
            default -> List.<String>of();
        };
        return added.stream()
                .filter(url::endsWith)
                .findFirst()
                .map(rest -> "base_url ends with " + rest
                        + ", which clients add by themselves: calls there are not read"
                        + " as calls of " + provider + ". Write " + url.substring(0, url.length() - rest.length())
                        + ".");
    }
}
