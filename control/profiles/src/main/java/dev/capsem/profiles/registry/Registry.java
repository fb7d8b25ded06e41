package dev.capsem.profiles.registry;

import java.net.URI;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/// Where a package manager gets packages from. Holds no user and no password, whatever the URL held.
///
/// @param client such as `npm`
/// @param path what every path there begins with; ends with `/`
public record Registry(String client, String scheme, String host, int port, String path) {
    private static final Pattern HOST = Pattern.compile("[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?");
    private static final Pattern PATH = Pattern.compile("/([A-Za-z0-9._~@-]+/)*");

    public Registry {
        boolean valid = HOST.matcher(host).matches()
                && PATH.matcher(path).matches()
                && (scheme.equals("https") || scheme.equals("http"))
                && port > 0
                && port <= 65_535;
        if (!valid) {
            throw new IllegalArgumentException("not a registry");
        }
    }

    /// Empty for what is not reached over HTTP, such as a directory.
    public static Optional<Registry> parse(String client, String url) {
        try {
            String plain = url.strip().replaceFirst("^(sparse|registry|git)\\+", "");
            URI uri = URI.create(plain);
            String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
            String host = String.valueOf(uri.getHost()).toLowerCase(Locale.ROOT);
            if (uri.getHost() == null || !(scheme.equals("https") || scheme.equals("http"))) {
                return Optional.empty();
            }
            int port = uri.getPort() > 0 ? uri.getPort() : scheme.equals("https") ? 443 : 80;
            String path = "/" + String.valueOf(uri.getPath()).replaceAll("^/+|/+$", "") + "/";
            return Optional.of(new Registry(client, scheme, host, port, path.equals("//") ? "/" : path));
        } catch (IllegalArgumentException malformed) {
            return Optional.empty();
        }
    }

    public String url() {
        boolean isUsual = port == (scheme.equals("https") ? 443 : 80);
        return scheme + "://" + host + (isUsual ? "" : ":" + port) + path;
    }
}
