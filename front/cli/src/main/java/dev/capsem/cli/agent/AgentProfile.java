package dev.capsem.cli.agent;

import dev.capsem.cli.agent.AgentLogins.Used;
import dev.capsem.cli.agent.recipe.AgentRecipe;
import dev.capsem.cli.command.CliProblem;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// The profile that an agent runs under: the one in use, and beside it the agent's logins and hosts. Pure.
final class AgentProfile {
    /// Before the profile's questions, behind what it refuses.
    private static final int HOSTS_PRIORITY = 300;
    /// Before what it says about addresses of this host.
    private static final int SERVER_PRIORITY = 5;

    private static final int ID_CHARS_MAX = 64;

    private final AgentRecipe recipe;
    private final String base;

    /// @param base the profile to build on
    AgentProfile(AgentRecipe recipe, String base) {
        this.recipe = recipe;
        this.base = base;
    }

    String id() {
        String id = base + "-" + recipe.name();
        return id.length() > ID_CHARS_MAX
                ? id.substring(id.length() - ID_CHARS_MAX).replaceFirst("^-+", "")
                : id;
    }

    /// The lines that Capsem keeps in it.
    String text(List<Used> logins) {
        var text = new StringBuilder();
        text.append("schema = \"capsem.profile.v2\"\n");
        text.append("id = ").append(quoted(id())).append('\n');
        text.append("name = ").append(quoted(recipe.title())).append('\n');
        text.append("description = ")
                .append(quoted(base + ", with the login and the hosts of " + recipe.title()))
                .append('\n');
        text.append("extends = ").append(quoted(base)).append('\n');
        Set<String> hosts = new LinkedHashSet<>(recipe.hosts());
        for (Used used : logins) {
            Optional<URI> server = used.baseUrl().map(AgentProfile::server);
            text.append(grant(used, server));
            server.ifPresent(url -> text.append(server(used, url)));
            if (server.isEmpty()) {
                hosts.addAll(used.login().hosts());
            }
        }
        text.append(rules("agent_hosts", new ArrayList<>(hosts), "allow", "the recipe of " + recipe.name()));
        text.append(rules("agent_refused", recipe.refused(), "block", "telemetry, or an agent's update of itself"));
        return text.toString();
    }

    private static String grant(Used used, Optional<URI> server) {
        List<String> hosts =
                server.map(url -> List.of(url.getHost())).orElse(used.login().hosts());
        boolean isPlain = server.filter(url -> url.getScheme().equals("http")).isPresent();
        return "\n[[grant]]\nname = " + quoted(used.login().name()) + "\nsecret = "
                + used.source().toml() + "\nhosts = " + list(hosts) + "\nplaces = "
                + list(used.login().places()) + "\nenv = " + quoted(used.login().variable()) + "\n"
                + (isPlain ? "plain_http = true\n" : "");
    }

    /// A model server that the user's own environment names.
    private static String server(Used used, URI url) {
        String provider = used.login()
                .provider()
                .map(id -> "\n[ai.providers." + id + "]\nbase_url = " + quoted(url.toString()) + "\n")
                .orElse("");
        int port = url.getPort() > 0 ? url.getPort() : url.getScheme().equals("https") ? 443 : 80;
        String name = "agent_server_" + used.login().name().replace('-', '_');
        String condition = "http.request.host == \"" + url.getHost() + "\" && http.request.port == " + port
                + " && (!has(http.request.address_class)"
                + " || http.request.address_class in [\"public\", \"private\", \"loopback\", \"reserved\"])";
        return provider
                + rule("http", name, "http.request", condition, "allow", SERVER_PRIORITY, "your own model server")
                + rule(
                        "dns",
                        name,
                        "dns.request",
                        "dns.request.qname == \"" + url.getHost() + "\"",
                        "allow",
                        SERVER_PRIORITY,
                        "your own model server");
    }

    private static String rules(String name, List<String> hosts, String decision, String reason) {
        if (hosts.isEmpty()) {
            return "";
        }
        int priority = decision.equals("block") ? SERVER_PRIORITY : HOSTS_PRIORITY;
        String http =
                hosts.stream().map(host -> condition("http.request.host", host)).collect(Collectors.joining(" || "));
        String dns = hosts.stream()
                .map(host -> condition("dns.request.qname", host.replaceFirst(":[0-9]+$", "")))
                .distinct()
                .collect(Collectors.joining(" || "));
        return rule("http", name, "http.request", http, decision, priority, reason)
                + rule("dns", name, "dns.request", dns, decision, priority, reason);
    }

    private static String condition(String field, String host) {
        int colon = host.indexOf(':');
        String name = colon < 0 ? host : host.substring(0, colon);
        String named = name.startsWith("*.")
                ? field + ".endsWith(\"" + name.substring(1) + "\")"
                : field + " == \"" + name + "\"";
        return colon < 0 ? named : "(" + named + " && http.request.port == " + host.substring(colon + 1) + ")";
    }

    private static String rule(
            String type, String name, String on, String condition, String decision, int priority, String reason) {
        return "\n[security.rules." + type + "." + name + "]\non = " + quoted(on) + "\nif = '''" + condition
                + "'''\ndecision = " + quoted(decision) + "\npriority = " + priority + "\nreason = " + quoted(reason)
                + "\n";
    }

    private static URI server(String text) {
        try {
            URI url = URI.create(text);
            boolean isUrl = List.of("http", "https").contains(String.valueOf(url.getScheme()))
                    && url.getHost() != null
                    && url.getHost().matches("[a-z0-9._-]+")
                    && url.getRawUserInfo() == null;
            if (isUrl) {
                return url;
            }
        } catch (IllegalArgumentException noUrl) {
            // Said below; the text may hold a password.
        }
        throw CliProblem.usage(
                "a variable that names the model's server is no plain URL", "write it like https://models.example.com");
    }

    private static String list(List<String> texts) {
        return texts.stream().map(AgentProfile::quoted).collect(Collectors.joining(", ", "[", "]"));
    }

    /// A basic string of TOML.
    static String quoted(String text) {
        var quoted = new StringBuilder("\"");
        text.chars().forEach(each -> {
            if (each == '"' || each == '\\') {
                quoted.append('\\').append((char) each);
            } else if (each < ' ' || each == 0x7f) {
                quoted.append("\\u%04x".formatted(each));
            } else {
                quoted.append((char) each);
            }
        });
        return quoted.append('"').toString();
    }
}
