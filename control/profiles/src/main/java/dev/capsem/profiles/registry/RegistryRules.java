package dev.capsem.profiles.registry;

import dev.capsem.events.security.RuleId;
import dev.capsem.profiles.file.Entry.RuleEntry;
import dev.capsem.source.Place;
import dev.capsem.source.Problem;
import dev.capsem.source.json.JsonReader;
import dev.capsem.source.json.JsonReading;
import dev.capsem.source.json.JsonValue;
import dev.capsem.source.json.JsonWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Turns registries into rules that let a sandbox read from them, and into the file that remembers them.
public final class RegistryRules {
    /// Before the blocks of private networks, where company mirrors are, and behind a person's own rules without
    /// a priority, which have 1.
    static final int PRIORITY = 5;

    /// A mirror may lie inside this host's networks, or behind an address that a company's network made up. Where
    /// clouds keep credentials, and on the link itself, there is none.
    private static final String INSIDE = "http.request.address_class in [\"private\", \"loopback\", \"reserved\"]";

    /// More would be a broken configuration.
    static final int REGISTRIES_MAX = 200;

    private RegistryRules() {}

    /// The result of reading the remembered file.
    ///
    /// @param problems warnings: registries that are not read only mean more questions
    public record Remembered(List<Registry> registries, List<Problem> problems) {
        public Remembered {
            registries = List.copyOf(registries);
            problems = List.copyOf(problems);
        }
    }

    public static String write(Collection<Registry> registries) {
        return JsonWriter.pretty(JsonValue.members()
                        .put(
                                "registries",
                                JsonValue.items(
                                        registries,
                                        registry -> JsonValue.members()
                                                .put("client", registry.client())
                                                .put("url", registry.url())
                                                .build()))
                        .build())
                + "\n";
    }

    public static Remembered read(String file, String text) {
        List<Registry> registries = new ArrayList<>();
        if (JsonReader.read(text) instanceof JsonReading.Parsed parsed
                && parsed.document().root() instanceof JsonValue.Members root
                && root.get("registries").orElse(JsonValue.none()) instanceof JsonValue.Items items) {
            for (JsonValue item : items.list()) {
                if (item instanceof JsonValue.Members entry
                        && entry.get("client").orElse(JsonValue.none()) instanceof JsonValue.Text client
                        && entry.get("url").orElse(JsonValue.none()) instanceof JsonValue.Text url) {
                    Registry.parse(client.value(), url.value()).ifPresent(registries::add);
                }
            }
            return new Remembered(registries.stream().limit(REGISTRIES_MAX).toList(), List.of());
        }
        return new Remembered(
                List.of(),
                List.of(Problem.warning(
                        Place.start(file),
                        "the registries cannot be read; run: capsem setup, to ask for them again.")));
    }

    public static List<RuleEntry> of(Collection<Registry> registries, String file) {
        Listing listing = new Listing(file);
        Set<String> hosts = new LinkedHashSet<>();
        Set<String> places = new LinkedHashSet<>();
        int number = 1;
        for (Registry registry : new LinkedHashSet<>(registries)) {
            String name = "registry_" + registry.client() + "_" + number++;
            String reason = "a package registry of " + registry.client() + " on this host";
            String reads = " && http.request.method in [\"GET\", \"HEAD\"] && http.request.path.startsWith(\""
                    + registry.path() + "\")";
            listing.addWithInside(name, at(registry) + reads, reason);
            if (places.add(registry.host() + ":" + registry.port())) {
                // What a guest sends through it is judged again. A program behind MCP needs leave of its own as well.
                listing.addWithInside(name + "_tunnel", tunnel(registry), "a tunnel to " + reason);
            }
            if (hosts.add(registry.host())) {
                listing.add("dns", name, "dns.request.qname == \"" + registry.host() + "\"", "allow", reason);
            }
            if (registry.client().equals("npm")) {
                addNpm(listing, name, registry);
            }
        }
        return listing.rules;
    }

    /// What npm and its relatives send by themselves: an install asks for known vulnerabilities of what it installs.
    /// Logging in and metrics are refused at once rather than held until somebody answers.
    private static void addNpm(Listing listing, String name, Registry registry) {
        String own = registry.path() + "-/";
        listing.addWithInside(
                name + "_audit",
                at(registry) + " && http.request.method == \"POST\" && http.request.path in [\"" + own
                        + "npm/v1/security/advisories/bulk\", \"" + own + "npm/v1/security/audits/quick\", \"" + own
                        + "npm/v1/security/audits\"]",
                "npm asks for known vulnerabilities of packages");
        listing.add(
                "http",
                name + "_login",
                at(registry) + " && (http.request.path.startsWith(\"" + own
                        + "user/org.couchdb.user:\") || http.request.path in [\"" + own + "v1/login\", \"" + own
                        + "npm/v1/tokens\"] || http.request.path.startsWith(\"" + own + "npm/anon-metrics/\"))",
                "block",
                "logging in to a registry and metrics are refused; a rule of your own can allow them");
    }

    private static String tunnel(Registry registry) {
        return "http.request.host == \"" + registry.host() + "\" && http.request.port == " + registry.port()
                + " && http.request.method == \"CONNECT\"";
    }

    private static String at(Registry registry) {
        return "http.request.host == \"" + registry.host() + "\" && http.request.scheme == \"" + registry.scheme()
                + "\" && http.request.port == " + registry.port();
    }

    /// Rules in the order in which they stand in a text of their own.
    private static final class Listing {
        private final String file;
        private final List<RuleEntry> rules = new ArrayList<>();
        private int line = 1;

        Listing(String file) {
            this.file = file;
        }

        /// One rule for the name and one for where it may lead. Apart, so that requests to public addresses are
        /// judged once.
        void addWithInside(String name, String condition, String reason) {
            add("http", name, condition, "allow", reason);
            add("http", name + "_inside", condition + " && " + INSIDE, "allow", reason);
        }

        void add(String type, String name, String condition, String decision, String reason) {
            RuleId id = RuleId.of(type, name);
            String on = type + ".request";
            // Of rules with one priority the lesser id is asked first: a block must not come behind what
            // allows reading.
            int priority = decision.equals("block") ? PRIORITY - 1 : PRIORITY;
            String text = "[" + id + "]\non = \"" + on + "\"\nif = '" + condition + "'\ndecision = \"" + decision
                    + "\"\npriority = " + priority + "\nreason = \"" + reason + "\"\n";
            rules.add(new RuleEntry(
                    id,
                    Optional.of(on),
                    Optional.of(decision),
                    priority,
                    Optional.of(reason),
                    text,
                    new Place(file, line, 1)));
            line += (int) text.lines().count();
        }
    }
}
