package dev.capsem.profiles;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.profiles.io.BuiltInProfiles;
import dev.capsem.profiles.vocabulary.ProfileId;
import dev.capsem.source.Layer;
import dev.capsem.source.SourceText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// Every example of `docs/profiles.md` and `docs/give-an-agent-a-key.md` is a profile, or a part of one, that works.
class DocumentationTest {
    private static final Pattern EXAMPLE = Pattern.compile("(?ms)^```toml\\n(.*?)^```$");

    @Test
    void everyExampleReadsMergesAndCompiles() throws IOException {
        ProfileLibrary library = new ProfileLibrary(
                BuiltInProfiles.load(), Map.of(), CorpLayer.NONE, DetectedEntries.NONE, ProfileId.DEFAULT);
        List<String> examples = examples();

        assertThat(examples).hasSizeGreaterThan(4);
        for (String example : examples) {
            ProfileLibrary.Validation validation = library.validate(source(example));

            assertThat(validation.problems()).as(example).isEmpty();
            assertThat(validation.isValid()).as("%s%n%s", example, validation).isTrue();
            for (ProfileResolution resolution : validation.resolutions()) {
                EffectiveProfile profile = ((ProfileResolution.Resolved) resolution).profile();
                assertThat(Engine.problems(profile.ruleSources())).as(example).isEmpty();
            }
        }
    }

    private static SourceText source(String example) {
        Layer layer = example.contains("revision = ") ? Layer.CORP : Layer.USER;
        String head = example.contains("schema = ") ? "" : "schema = \"capsem.profile.v2\"\nid = \"coding\"\n";
        return new SourceText("example.toml", layer, head + example);
    }

    private static List<String> examples() throws IOException {
        List<String> examples = new ArrayList<>();
        for (String page : List.of("profiles.md", "give-an-agent-a-key.md")) {
            Matcher matcher = EXAMPLE.matcher(Files.readString(Path.of("..", "..", "docs", page)));
            while (matcher.find()) {
                examples.add(matcher.group(1));
            }
        }
        return examples;
    }
}
