package dev.capsem.cli.rules;

import dev.capsem.cli.command.CliProblem;
import dev.capsem.cli.screen.Printable;
import dev.capsem.wire.json.Json;
import java.net.IDN;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.node.ObjectNode;

/// A host as a person writes it: `docs.example.com`, `*.example.com`, `nas.example:8080`,
/// `https://docs.example.com/v2`.
///
/// @param host in lower case; without `*.` if it has one
/// @param isEveryBelow whether it begins with `*.`: the names below it, not the name itself
/// @param path begins with a slash and does not end with one; empty for all of the host
record AllowedHost(Optional<String> scheme, String host, boolean isEveryBelow, OptionalInt port, String path) {
    private static final Pattern WRITTEN = Pattern.compile(
            "(?:(https?)://)?(\\*\\.)?(\\[[0-9a-fA-F:.]+]|[^/:?#@*\\[\\]\\s]+)(?::([0-9]{1,5}))?(/\\S*)?");
    private static final Pattern NAME =
            Pattern.compile("(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?");
    private static final Pattern PLAIN_PATH = Pattern.compile("(?:/[A-Za-z0-9_~.-]+)*/?");
    private static final int NAME_CHARS_MAX = 253;
    private static final int PORT_MAX = 65_535;

    /// The name of a rule has at most 64 characters, and a number may follow.
    private static final int RULE_CHARS_MAX = 56;

    static AllowedHost parse(String written) {
        Matcher parts = WRITTEN.matcher(written.strip());
        if (!parts.matches()) {
            throw mistake(written, "is not a host");
        }
        boolean isEveryBelow = parts.group(2) != null;
        String host = host(written, parts.group(3));
        if (isEveryBelow && (!host.contains(".") || host.startsWith("["))) {
            throw mistake(written, "would allow a whole top-level domain");
        }
        OptionalInt port = parts.group(4) == null ? OptionalInt.empty() : OptionalInt.of(port(written, parts.group(4)));
        return new AllowedHost(
                Optional.ofNullable(parts.group(1)), host, isEveryBelow, port, path(written, parts.group(5)));
    }

    private static String host(String written, String text) {
        if (text.startsWith("[")) {
            return text.substring(1, text.length() - 1).toLowerCase(Locale.ROOT);
        }
        String name;
        try {
            name = IDN.toASCII(text.endsWith(".") ? text.substring(0, text.length() - 1) : text)
                    .toLowerCase(Locale.ROOT);
        } catch (IllegalArgumentException noName) {
            throw mistake(written, "is not a host");
        }
        if (name.length() > NAME_CHARS_MAX || !NAME.matcher(name).matches()) {
            throw mistake(written, "is not a host");
        }
        return name;
    }

    private static int port(String written, String digits) {
        int port = Integer.parseInt(digits);
        if (port < 1 || port > PORT_MAX) {
            throw mistake(written, "has no valid port");
        }
        return port;
    }

    /// Only letters that every server reads alike: for all others a person writes the rule.
    private static String path(String written, String text) {
        if (text == null || text.equals("/")) {
            return "";
        }
        if (!PLAIN_PATH.matcher(text).matches() || text.contains("/./") || text.contains("..") || text.endsWith("/.")) {
            throw CliProblem.usage(
                    "the path of " + Printable.line(written) + " is more than plain letters",
                    "leave it out, or write a rule as docs/rules.md says");
        }
        return text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
    }

    private static CliProblem mistake(String written, String wrong) {
        return CliProblem.usage(
                Printable.line(written) + " " + wrong,
                "like docs.example.com, '*.example.com' or nas.example:8080/path");
    }

    boolean isAddress() {
        return host.contains(":") || host.matches("[0-9.]+");
    }

    /// @param isReading for GET and HEAD only
    /// @param isInside for an address in the person's own network
    String condition(boolean isReading, boolean isInside) {
        List<String> terms = new ArrayList<>();
        terms.add(named("http.request.host"));
        scheme.ifPresent(name -> terms.add("http.request.scheme == \"" + name + "\""));
        port.ifPresent(number -> terms.add("http.request.port == " + number));
        if (isReading) {
            terms.add("http.request.method in [\"GET\", \"HEAD\"]");
        }
        if (!path.isEmpty()) {
            terms.add("(http.request.path == \"" + path + "\" || http.request.path.startsWith(\"" + path + "/\"))");
        }
        if (isInside) {
            terms.add("(!has(http.request.address_class)"
                    + " || http.request.address_class in [\"private\", \"loopback\"])");
        }
        return String.join(" && ", terms);
    }

    String nameCondition() {
        return named("dns.request.qname");
    }

    private String named(String field) {
        return isEveryBelow ? field + ".endsWith(\"." + host + "\")" : field + " == \"" + host + "\"";
    }

    /// The last part of a rule's id.
    String ruleName(boolean isReading) {
        StringBuilder text = new StringBuilder(isEveryBelow ? "below_" : "").append(host);
        port.ifPresent(number -> text.append('_').append(number));
        text.append(path).append(isReading ? "_reading" : "");
        String name = "allow_" + text.toString().replaceAll("[^A-Za-z0-9]+", "_");
        return name.length() > RULE_CHARS_MAX ? name.substring(0, RULE_CHARS_MAX) : name;
    }

    /// A request that the rules should allow now.
    ObjectNode example() {
        ObjectNode given = Json.object();
        ObjectNode request = given.putObject("http").putObject("request");
        request.put("host", isEveryBelow ? "www." + host : host)
                .put("method", "GET")
                .put("scheme", scheme.orElse("https"))
                .put("path", path.isEmpty() ? "/" : path);
        port.ifPresent(number -> request.put("port", number));
        return given;
    }
}
