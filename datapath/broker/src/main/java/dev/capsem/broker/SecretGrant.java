package dev.capsem.broker;

import dev.capsem.events.address.UrlPaths;
import dev.capsem.events.address.UrlReading;
import dev.capsem.events.security.SecurityEvent;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// One secret for some hosts and named places, and for some methods and paths if it says so.
///
/// @param name as the profile has it
/// @param hosts in lower case, exact or `*.` and a domain
/// @param methods in upper case; none means all
/// @param paths with `*` for any characters; none means all
/// @param format what is written in [GrantMode#SET], with `{}` for the value
/// @param occurrences how often the placeholder may stand in one place
/// @param allowsPlainHttp whether it goes out unencrypted, to loopback and private addresses only
public record SecretGrant(
        String name,
        List<String> hosts,
        List<SecretPlace> places,
        Set<String> methods,
        List<String> paths,
        GrantMode mode,
        Optional<String> format,
        int occurrences,
        boolean allowsPlainHttp) {
    public static final int OCCURRENCES_MAX = 16;

    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9._-]{0,63}");
    private static final Pattern HOST =
            Pattern.compile("(\\*\\.)?[a-z0-9_-]+(\\.[a-z0-9_-]+)*|\\[?[0-9a-f:]*:[0-9a-f:.]*]?");

    public SecretGrant {
        hosts = List.copyOf(hosts);
        places = List.copyOf(places);
        methods = Set.copyOf(methods);
        paths = List.copyOf(paths);
        require(NAME.matcher(name).matches(), "a grant's name has lower-case letters, digits, . _ and -");
        require(!hosts.isEmpty() && hosts.stream().allMatch(SecretGrant::isHost), "a grant names its hosts");
        require(!places.isEmpty(), "a grant names its places");
        require(paths.stream().allMatch(path -> path.startsWith("/")), "a path starts with /");
        require(occurrences >= 1 && occurrences <= OCCURRENCES_MAX, "1 to " + OCCURRENCES_MAX + " occurrences");
        require(format.isEmpty() || isFormat(format.get()), "a format holds {} once");
        require(mode == GrantMode.PLACEHOLDER || isSettable(places), "set writes one header, basic or query place");
    }

    /// Whether this is a host as a grant may name it: never the bare `*`.
    public static boolean isHost(String text) {
        return text.length() <= 253 && HOST.matcher(text).matches();
    }

    public static boolean isFormat(String text) {
        int at = text.indexOf("{}");
        return at >= 0 && text.indexOf("{}", at + 2) < 0 && text.chars().allMatch(c -> c >= ' ' && c != 127);
    }

    /// Whether [GrantMode#SET] can write there: exactly one place, and one that can be written from nothing.
    public static boolean isSettable(List<SecretPlace> places) {
        return places.size() == 1
                && (places.getFirst() instanceof SecretPlace.Header
                        || places.getFirst() instanceof SecretPlace.Basic
                        || places.getFirst() instanceof SecretPlace.Query);
    }

    /// @param host as rules see it
    public boolean coversHost(String host) {
        String lower = host.toLowerCase(Locale.ROOT);
        for (String pattern : hosts) {
            boolean covers = pattern.startsWith("*.")
                    ? lower.length() >= pattern.length() && lower.endsWith(pattern.substring(1))
                    : lower.equals(pattern);
            if (covers) {
                return true;
            }
        }
        return false;
    }

    boolean covers(SecurityEvent.HttpRequest request) {
        return coversHost(request.host()) && covers(request.method(), request.path());
    }

    /// Some servers read one path in several ways; a grant covers it if it covers every one of them.
    ///
    /// @param path as sent, without its query
    public boolean covers(String method, String path) {
        return (methods.isEmpty() || methods.contains(method))
                && (paths.isEmpty()
                        || (coversPath(UrlPaths.normalize(path))
                                && UrlReading.others(path, Optional.empty()).stream()
                                        .allMatch(other -> coversPath(other.path()))));
    }

    private boolean coversPath(String path) {
        return paths.stream().anyMatch(pattern -> matches(pattern, path));
    }

    /// `*` stands for any characters, `/` as well.
    private static boolean matches(String pattern, String path) {
        int at = 0;
        int from = 0;
        int star = -1;
        int retry = 0;
        while (at < path.length()) {
            if (from < pattern.length() && pattern.charAt(from) == '*') {
                star = from++;
                retry = at;
            } else if (from < pattern.length() && pattern.charAt(from) == path.charAt(at)) {
                from++;
                at++;
            } else if (star >= 0) {
                from = star + 1;
                at = ++retry;
            } else {
                return false;
            }
        }
        while (from < pattern.length() && pattern.charAt(from) == '*') {
            from++;
        }
        return from == pattern.length();
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new IllegalArgumentException(what);
        }
    }
}
