package dev.capsem.profiles.registry;

import dev.capsem.source.Layer;
import dev.capsem.source.Problems;
import dev.capsem.source.SourceText;
import dev.capsem.source.json.JsonReader;
import dev.capsem.source.json.JsonReading;
import dev.capsem.source.json.JsonValue;
import dev.capsem.source.tree.TomlTree;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Asks the host's package managers which registries they use. Asked at set-up, not at each start: some of them
/// take seconds to answer.
public final class RegistryDetection {
    private final HostClients host;
    private final Set<Registry> found = new LinkedHashSet<>();

    private RegistryDetection(HostClients host) {
        this.host = host;
    }

    public static List<Registry> detect(HostClients host) {
        RegistryDetection detection = new RegistryDetection(host);
        detection.npm();
        detection.pip();
        detection.apt();
        detection.maven();
        detection.cargo();
        return List.copyOf(detection.found);
    }

    private void add(String client, String url) {
        Registry.parse(client, url).ifPresent(found::add);
    }

    /// Its default registry, and those of single scopes (`@team:registry`).
    private void npm() {
        host.ask(List.of("npm", "config", "get", "registry")).ifPresent(text -> add("npm", lastLine(text)));
        host.ask(List.of("npm", "config", "list", "--json")).ifPresent(text -> {
            if (JsonReader.read(text) instanceof JsonReading.Parsed parsed
                    && parsed.document().root() instanceof JsonValue.Members settings) {
                settings.map().forEach((key, value) -> {
                    if (key.endsWith(":registry") && value instanceof JsonValue.Text url) {
                        add("npm", url.value());
                    }
                });
            }
        });
    }

    /// What its configuration says, and otherwise the index and the file host that pip itself is made for.
    private void pip() {
        boolean[] hasIndex = {false};
        host.ask(List.of("pip", "config", "list"))
                .ifPresent(text -> text.lines().forEach(line -> {
                    int sign = line.indexOf('=');
                    String key = sign < 0 ? "" : line.substring(0, sign).strip();
                    String value =
                            sign < 0 ? "" : line.substring(sign + 1).strip().replaceAll("^['\"]|['\"]$", "");
                    if (key.endsWith(".index-url") || key.endsWith(".extra-index-url")) {
                        hasIndex[0] |= key.endsWith(".index-url");
                        for (String url : value.split("(\\s|\\\\n)+")) {
                            add("pip", url);
                        }
                    }
                }));
        if (!hasIndex[0]) {
            host.ask(List.of(
                            "python3",
                            "-c",
                            "from pip._internal.models.index import PyPI as i; print(i.simple_url); "
                                    + "print('https://' + i.file_storage_domain + '/')"))
                    .ifPresent(text -> text.lines().forEach(line -> add("pip", line)));
        }
    }

    private void apt() {
        host.ask(List.of("apt-get", "indextargets", "--format", "$(SITE)"))
                .ifPresent(text -> text.lines().forEach(line -> add("apt", line)));
    }

    /// Mirrors and repositories of the person's settings; without a mirror of everything also the repository that
    /// Maven brings along in its super POM.
    private void maven() {
        List<XmlText.Element> settings =
                host.file(".m2/settings.xml").map(XmlText::elements).orElse(List.of());
        boolean mirrorsAll = false;
        for (XmlText.Element element : settings) {
            boolean isSource =
                    element.path().endsWith("mirror/url") || element.path().endsWith("epository/url");
            if (isSource) {
                add("maven", element.text());
            }
            mirrorsAll |= element.path().endsWith("mirror/mirrorOf")
                    && (element.text().equals("*") || element.text().contains("central"));
        }
        Optional<String> home = host.ask(List.of("mvn", "--version"))
                .flatMap(text -> text.lines()
                        .filter(line -> line.startsWith("Maven home:"))
                        .findFirst())
                .map(line -> line.substring("Maven home:".length()).strip());
        if (home.isPresent() && !mirrorsAll) {
            host
                    .jarEntry(home.get() + "/lib/maven-model-builder-*.jar", "org/apache/maven/model/pom-4.0.0.xml")
                    .map(XmlText::elements)
                    .orElse(List.of())
                    .stream()
                    .filter(element -> element.path().endsWith("epository/url"))
                    .forEach(element -> add("maven", element.text()));
        }
    }

    /// What its configuration names, and the indexes it has used, each with the place its crates come from.
    private void cargo() {
        for (String file : List.of(".cargo/config.toml", ".cargo/config")) {
            host.file(file).ifPresent(text -> cargoConfiguration(file, text));
        }
        for (String index : host.names(".cargo/registry/index")) {
            String name = index.replaceFirst("-[0-9a-f]{16}$", "");
            host.file(".cargo/registry/index/" + index + "/config.json").ifPresent(text -> {
                add("cargo", "https://" + name + "/");
                if (JsonReader.read(text) instanceof JsonReading.Parsed parsed
                        && parsed.document().root() instanceof JsonValue.Members settings
                        && settings.get("dl").orElse(JsonValue.none()) instanceof JsonValue.Text url) {
                    add("cargo", url.value().replaceFirst("\\{.*", ""));
                }
            });
        }
    }

    private void cargoConfiguration(String file, String text) {
        Problems ignored = new Problems();
        TomlTree.parse(new SourceText(file, Layer.DETECTED, text), ignored)
                .map(tree -> tree.fields(ignored).members())
                .ifPresent(root -> {
                    tables(root, "registries").forEach(table -> text(table, "index"));
                    tables(root, "source").forEach(table -> text(table, "registry"));
                });
    }

    private void text(JsonValue.Members table, String key) {
        if (table.get(key).orElse(JsonValue.none()) instanceof JsonValue.Text url) {
            add("cargo", url.value());
        }
    }

    private static List<JsonValue.Members> tables(JsonValue.Members root, String key) {
        List<JsonValue.Members> tables = new ArrayList<>();
        if (root.get(key).orElse(JsonValue.none()) instanceof JsonValue.Members named) {
            named.map().values().forEach(value -> {
                if (value instanceof JsonValue.Members table) {
                    tables.add(table);
                }
            });
        }
        return tables;
    }

    private static String lastLine(String text) {
        return text.strip().lines().reduce((_, last) -> last).orElse("");
    }
}
