package dev.capsem.cli.agent;

import dev.capsem.cli.agent.recipe.AgentRecipe;
import dev.capsem.cli.agent.recipe.AgentRecipe.Login;
import dev.capsem.client.SandboxService;
import dev.capsem.client.io.ServiceClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/// Finds the logins of an agent outside. A value from the environment goes into the secret store, encrypted; of a file
/// only its place is noted. Nothing of them is ever given to the sandbox.
final class AgentLogins {
    /// docs/programs-on-this-host.md
    private static final String THIS_HOST_INSIDE = "host.capsem.internal";

    private static final Pattern THIS_HOST =
            Pattern.compile("^(https?://)(?:localhost|127\\.0\\.0\\.1|\\[::1])(?=[:/]|$)");

    private final SandboxService service;
    private final Map<String, String> environment;
    private final AgentFinder finder;

    AgentLogins(SandboxService service, Map<String, String> environment, AgentFinder finder) {
        this.service = service;
        this.environment = environment;
        this.finder = finder;
    }

    /// Where the value of a login is.
    sealed interface Source {
        /// `secret` of a grant, in TOML.
        String toml();

        /// For people.
        String shown();

        /// In the secret store.
        ///
        /// @param variable from which it came; empty if somebody kept it there before
        record Stored(String name, Optional<String> variable) implements Source {
            @Override
            public String toml() {
                return AgentProfile.quoted("${secret:" + name + "}");
            }

            @Override
            public String shown() {
                return variable.map(from -> "$" + from).orElse("secret " + name);
            }
        }

        /// In a file of the agent's.
        record InFile(Path file, String pointer, Optional<String> expires) implements Source {
            @Override
            public String toml() {
                return "{ json = " + AgentProfile.quoted(file.toString()) + ", pointer = "
                        + AgentProfile.quoted(pointer)
                        + expires.map(at -> ", expires = " + AgentProfile.quoted(at))
                                .orElse("") + " }";
            }

            @Override
            public String shown() {
                return file.toString();
            }
        }
    }

    /// @param baseUrl what the user's own environment says instead of the usual host
    record Used(Login login, Source source, Optional<String> baseUrl) {}

    /// Those that are there, in the order of the recipe: the first, or all.
    List<Used> find(AgentRecipe recipe) {
        Set<String> kept = new HashSet<>();
        var used = new ArrayList<Used>();
        boolean isAsked = false;
        for (Login login : recipe.logins()) {
            Optional<Source> source = fromEnvironment(login);
            if (source.isEmpty()) {
                if (!isAsked) {
                    service.get("/secrets").path("secrets").forEach(secret -> kept.add(name(secret)));
                    isAsked = true;
                }
                source = kept.contains(login.name())
                        ? Optional.of(new Source.Stored(login.name(), Optional.empty()))
                        : fromFile(login);
            }
            source.ifPresent(found -> used.add(new Used(login, found, baseUrl(login))));
            if (!used.isEmpty() && !recipe.everyLogin()) {
                break;
            }
        }
        return used;
    }

    /// As it is reached from inside, where `localhost` is the sandbox itself.
    private Optional<String> baseUrl(Login login) {
        return login.baseUrl()
                .map(name -> environment.getOrDefault(name, ""))
                .filter(url -> !url.isBlank())
                .map(url -> THIS_HOST.matcher(url).replaceFirst("$1" + THIS_HOST_INSIDE));
    }

    private static String name(JsonNode secret) {
        return secret.isString() ? secret.asString("") : secret.path("name").asString("");
    }

    private Optional<Source> fromEnvironment(Login login) {
        String value = environment.getOrDefault(login.variable(), "");
        if (value.isBlank()) {
            return Optional.empty();
        }
        // Not under the login's own name, which somebody may have set by hand.
        String name = "env." + login.variable().toLowerCase(Locale.ROOT);
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        try {
            service.put("/secrets/" + ServiceClient.encode(name), bytes);
        } finally {
            Arrays.fill(bytes, (byte) 0);
        }
        return Optional.of(new Source.Stored(name, Optional.of(login.variable())));
    }

    private Optional<Source> fromFile(Login login) {
        return login.file()
                .map(finder::expanded)
                .filter(Files::isReadable)
                .map(file -> new Source.InFile(file, login.pointer().orElse("/"), login.expires()));
    }
}
