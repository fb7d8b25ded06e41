package dev.capsem.backends.http;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Optional;

/// @param host IPv6 without brackets
/// @param target path and query, as they go on the wire
public record HttpUrl(boolean isSecure, String host, int port, String target) {
    public static Optional<HttpUrl> parse(String text) {
        try {
            URI uri = new URI(text);
            String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
            String host = uri.getHost();
            if (host == null || (!scheme.equals("http") && !scheme.equals("https")) || uri.getRawUserInfo() != null) {
                return Optional.empty();
            }
            String path = uri.getRawPath() == null || uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
            return Optional.of(new HttpUrl(
                    scheme.equals("https"),
                    host.startsWith("[") ? host.substring(1, host.length() - 1) : host.toLowerCase(Locale.ROOT),
                    uri.getPort() < 0 ? (scheme.equals("https") ? 443 : 80) : uri.getPort(),
                    uri.getRawQuery() == null ? path : path + "?" + uri.getRawQuery()));
        } catch (URISyntaxException e) {
            return Optional.empty();
        }
    }

    /// A reference found at this address: relative or whole.
    public Optional<HttpUrl> resolve(String reference) {
        try {
            return parse(new URI(toString()).resolve(new URI(reference)).toString());
        } catch (URISyntaxException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    public boolean isSameOrigin(HttpUrl other) {
        return isSecure == other.isSecure && host.equals(other.host) && port == other.port;
    }

    /// For the Host header: the port only if it is not the scheme's own.
    public String authority() {
        String shown = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
        return port == (isSecure ? 443 : 80) ? shown : shown + ":" + port;
    }

    @Override
    public String toString() {
        return (isSecure ? "https://" : "http://") + authority() + target;
    }
}
