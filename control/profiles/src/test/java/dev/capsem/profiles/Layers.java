package dev.capsem.profiles;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.profiles.file.Entry.ServerEntry;
import dev.capsem.profiles.file.Profile;
import dev.capsem.profiles.file.ProfileReader;
import dev.capsem.profiles.file.Reading;
import dev.capsem.profiles.mcp.HostSettings;
import dev.capsem.profiles.mcp.HostTool;
import dev.capsem.profiles.vocabulary.ProfileId;
import dev.capsem.source.Layer;
import dev.capsem.source.Problem;
import dev.capsem.source.SourceText;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Builds libraries from short texts: `schema`, `id` and a corp payload's `revision` are put in front.
public final class Layers {
    private static final String HOST = """
            {"mcpServers": {"github": {"url": "https://detected.example/"}, "slack": {"url": "https://slack.example/"}}}
            """;

    private final Map<ProfileId, Profile> builtIn = new TreeMap<>();
    private final Map<ProfileId, Reading> user = new TreeMap<>();
    private final List<Profile> corp = new ArrayList<>();
    private DetectedEntries detected = DetectedEntries.NONE;

    public static Reading read(Layer layer, String id, String text) {
        String head =
                "schema = \"capsem.profile.v2\"\nid = \"" + id + "\"\n" + (layer == Layer.CORP ? "revision = 1\n" : "");
        return ProfileReader.read(new SourceText(layer.wireName() + "/" + id + ".toml", layer, head + text));
    }

    public static Profile valid(Layer layer, String id, String text) {
        Reading reading = read(layer, id, text);
        assertThat(reading.problems()).filteredOn(Problem::isError).isEmpty();
        return ((Reading.Valid) reading).profile();
    }

    /// The messages of what is wrong, each with its line and column.
    public static List<String> faults(Layer layer, String text) {
        return read(layer, "x", text).problems().stream()
                .map(problem -> problem.place().line() + ":" + problem.place().column() + " "
                        + (problem.isError() ? "" : "warning: ") + problem.message())
                .toList();
    }

    public Layers builtIn(String id, String text) {
        builtIn.put(new ProfileId(id), valid(Layer.BUILT_IN, id, text));
        return this;
    }

    public Layers user(String id, String text) {
        user.put(new ProfileId(id), read(Layer.USER, id, text));
        return this;
    }

    public Layers corp(String id, String text) {
        corp.add(valid(Layer.CORP, id, text));
        return this;
    }

    public Layers detected(DetectedEntries entries) {
        this.detected = entries;
        return this;
    }

    public ProfileLibrary library() {
        return new ProfileLibrary(builtIn, user, new CorpLayer(corp, List.of()), detected, ProfileId.DEFAULT);
    }

    public EffectiveProfile resolve(String id) {
        ProfileResolution resolution = library().resolve(new ProfileId(id));
        assertThat(resolution).isInstanceOf(ProfileResolution.Resolved.class);
        return ((ProfileResolution.Resolved) resolution).profile();
    }

    public List<String> refusal(String id) {
        ProfileResolution resolution = library().resolve(new ProfileId(id));
        assertThat(resolution).isInstanceOf(ProfileResolution.Refused.class);
        return ((ProfileResolution.Refused) resolution)
                .problems().stream()
                        .filter(Problem::isError)
                        .map(Problem::message)
                        .toList();
    }

    static List<String> notices(EffectiveProfile profile) {
        return profile.notices().stream().map(Problem::message).toList();
    }

    /// A rule with that name, on requests.
    public static String rule(String name, String decision, int priority) {
        return "[security.rules.http." + name + "]\non = \"http.request\"\nif = 'true'\ndecision = \"" + decision
                + "\"\npriority = " + priority + "\n";
    }

    static String directive(String operation, String path, String more) {
        return "[[directives]]\noperation = \"" + operation + "\"\npath = \"" + path + "\"\n" + more + "\n";
    }

    /// Two servers that another program of this host uses.
    static DetectedEntries detectedServers() {
        return new DetectedEntries(
                HostSettings.detect(HostTool.CLAUDE, HOST).servers().stream()
                        .map(found -> new ServerEntry(found.server(), found.place()))
                        .toList(),
                List.of(),
                List.of());
    }
}
