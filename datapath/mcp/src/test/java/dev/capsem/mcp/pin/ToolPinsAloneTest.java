package dev.capsem.mcp.pin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.mcp.pin.ToolPins.Change;
import dev.capsem.wire.aggregator.AggregatorReply;
import dev.capsem.wire.aggregator.CatalogEntry;
import dev.capsem.wire.aggregator.ServerDefinition;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonShapeException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.node.ObjectNode;

/// What the pins say of a tool by themselves, without the endpoint that asks them.
class ToolPinsAloneTest {
    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");
    private static final Instant LATER = NOW.plusSeconds(60);
    private static final String KEY = "git__search";

    private final CatalogEntry honest = tool("git", "search", "Searches.");
    private final CatalogEntry changed = tool("git", "search", "Searches more.");
    private final ToolPins known = ToolPins.NONE.review(List.of(honest), NOW).pins();

    private static CatalogEntry tool(String server, String name, String description) {
        ObjectNode definition = Json.object().put("name", name).put("description", description);
        definition.putObject("inputSchema").put("type", "object");
        return new CatalogEntry(AggregatorReply.Kind.TOOLS, server, server + "__" + name, name, definition);
    }

    private static ToolPin pin(ToolPins pins, String key) {
        return pins.all().stream()
                .filter(pin -> pin.key().equals(key))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aToolIsApprovedNewChangedOrGone() {
        ToolPins altered = known.review(List.of(changed), LATER).pins();
        ToolPins added = known.review(List.of(honest, tool("git", "fetch", "Fetches.")), LATER)
                .pins();

        assertThat(pin(known, KEY).state()).isEqualTo(ToolPin.State.APPROVED);
        assertThat(pin(altered, KEY).state()).isEqualTo(ToolPin.State.CHANGED);
        assertThat(pin(added, "git__fetch").state()).isEqualTo(ToolPin.State.NEW);
        assertThat(pin(known.review(List.of(), LATER).pins(), KEY).state()).isEqualTo(ToolPin.State.REMOVED);
    }

    @Test
    void isKnownAndListedApart() {
        ToolPins gone = known.review(List.of(), LATER).pins();

        assertThat(known.isKnown(KEY)).isTrue();
        assertThat(known.isListed(KEY)).isTrue();
        assertThat(gone.isKnown(KEY)).isTrue();
        assertThat(gone.isListed(KEY)).isFalse();
        assertThat(known.isKnown("git__other")).isFalse();
        assertThat(known.isListed("git__other")).isFalse();
    }

    @Test
    void whatIsApprovedIsWhatWasAsked() {
        ToolPins altered = known.review(List.of(changed), LATER).pins();

        assertThat(altered.approve("git__other")).isSameAs(altered);
        assertThat(pin(altered.approve(KEY), KEY).isApproved()).isTrue();
        assertThat(pin(altered, KEY).isApproved()).isFalse();
    }

    @Test
    void theDifferenceIsToWhatWasAgreedTo() {
        ToolPins altered = known.review(List.of(changed), LATER).pins();
        ToolPins added = known.review(List.of(honest, tool("git", "fetch", "Fetches.")), LATER)
                .pins();

        assertThat(ToolPins.difference(pin(altered, KEY)))
                .containsExactly("- description: \"Searches.\"", "+ description: \"Searches more.\"");
        assertThat(ToolPins.difference(pin(added, "git__fetch")))
                .contains("+ description: \"Fetches.\"", "+ inputSchema.type: \"object\"", "+ name: \"fetch\"");
        assertThat(ToolPins.difference(pin(known, KEY))).isEmpty();
        assertThat(ToolPins.difference(pin(altered.review(List.of(), LATER).pins(), KEY)))
                .isEmpty();
    }

    @Test
    void aModelReadsNoWordThatNobodyAgreedTo() {
        ToolPins altered = known.review(List.of(changed), LATER).pins();
        CatalogEntry own = tool(ServerDefinition.LOCAL, "fetch", "Fetches.");

        assertThat(known.shown(honest)).isEqualTo(honest);
        assertThat(known.shown(own)).isEqualTo(own);
        // Seen, not agreed to; agreed to, not what is there; never seen.
        for (CatalogEntry shown : List.of(
                altered.shown(changed), known.shown(changed), known.shown(tool("git", "x", "Searches more.")))) {
            assertThat(Json.text(shown.definition()))
                    .contains("This tool is new or has changed.")
                    .contains("\"inputSchema\":{\"type\":\"object\"}")
                    .doesNotContain("Searches");
        }
        assertThat(altered.approve(KEY).shown(changed)).isEqualTo(changed);
    }

    @Test
    void isAsPinnedOnlyWithTheSameWords() {
        assertThat(known.isAsPinned(honest)).isTrue();
        assertThat(known.isAsPinned(changed)).isFalse();
        assertThat(known.isAsPinned(tool("git", "other", "Searches."))).isFalse();
        assertThat(known.isAsPinned(tool(ServerDefinition.LOCAL, "other", "Searches.")))
                .isTrue();
    }

    @Test
    void aVersionNamesTheWords() {
        ToolPins altered = known.review(List.of(changed), LATER).pins();

        assertThat(known.version(KEY)).hasSize(64).isNotEqualTo(altered.version(KEY));
        assertThat(known.version(KEY)).isEqualTo(pin(known, KEY).hash());
        assertThatThrownBy(() -> known.version("git__other")).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void saysWhyAToolOfASilentServerIsDoubted() {
        assertThat(known.unlisted(KEY)).startsWith("tool git__search may have changed: ");
        assertThat(known.unlisted("git__x")).startsWith("tool git__x was never seen: ");
    }

    @Test
    void aConcernSaysWhatHappenedAndWhichWordsAreSuspicious() {
        ToolPins altered = known.review(List.of(changed), LATER).pins();
        ToolPins added = known.review(List.of(honest, tool("git", "fetch", "Fetches.")), LATER)
                .pins();
        ToolPins hidden = ToolPins.NONE
                .review(List.of(tool("git", "search", "Sear\u200bches.")), NOW)
                .pins();

        assertThat(altered.concern(KEY).orElseThrow())
                .startsWith("tool git__search changed since it was approved ("
                        + altered.version(KEY).substring(0, 12) + ")");
        assertThat(added.concern("git__fetch").orElseThrow()).startsWith("tool git__fetch is not approved (");
        assertThat(hidden.concern(KEY).orElseThrow())
                .startsWith("tool git__search is not approved: description has hidden characters (U+200B) (");
        assertThat(known.concern(KEY)).isEmpty();
        assertThat(known.concern("git__other")).isEmpty();
    }

    @Test
    void aToolThatLooksLikeAnotherIsHeldAgainstThatOneAlone() {
        ToolPins both = ToolPins.NONE
                .review(List.of(tool("git", "search", "Searches."), tool("evil", "se\u0430rch", "Searches.")), NOW)
                .pins();
        String twin = "evil__se\u0430rch";

        assertThat(both.concern(twin).orElse("")).contains("looks like that of git__search");
        assertThat(both.concern("git__search")).isEmpty();
        // Once the other is gone there is nothing to be taken for.
        ToolPins alone = both.review(List.of(tool("evil", "se\u0430rch", "Searches.")), LATER)
                .pins();
        assertThat(alone.concern(twin).orElse("")).doesNotContain("looks like");
    }

    @Test
    void atMostThreeSuspicionsAreTold() {
        ObjectNode definition =
                Json.object().put("name", "n").put("title", "a\u200b").put("description", "b\u200b");
        ObjectNode properties =
                definition.putObject("inputSchema").put("type", "object").putObject("properties");
        properties.putObject("x").put("description", "c\u200b");
        properties.putObject("y").put("description", "d\u200b");
        ToolPins pins = ToolPins.NONE
                .review(List.of(new CatalogEntry(AggregatorReply.Kind.TOOLS, "s", "s__n", "n", definition)), NOW)
                .pins();

        assertThat(pins.concern("s__n").orElseThrow().split("hidden characters", -1))
                .hasSize(4);
    }

    @Test
    void everyServerHasAFirstContactOfItsOwn() {
        ToolPins both = known.review(List.of(honest, tool("web", "get", "Gets.")), LATER)
                .pins();

        assertThat(pin(both, "web__get").isApproved()).isTrue();
    }

    @Test
    void wherePinsWereLostNothingIsTakenAsItIs() {
        assertThat(pin(ToolPins.NONE.doubted().review(List.of(honest), NOW).pins(), KEY)
                        .isApproved())
                .isFalse();
        assertThat(pin(known.doubted().review(List.of(honest), NOW).pins(), KEY).isApproved())
                .isTrue();
        // Not even one review later, or after an approval.
        ToolPins doubted = known.doubted().review(List.of(honest), NOW).pins().approve(KEY);
        ToolPins next = doubted.review(List.of(honest, tool("web", "get", "Gets.")), LATER)
                .pins();
        assertThat(pin(next, "web__get").isApproved()).isFalse();
    }

    @Test
    void keepsWhenAToolWasFirstSeen() {
        ToolPins same = known.review(List.of(honest), LATER).pins();
        ToolPins altered = known.review(List.of(changed), LATER).pins();

        assertThat(pin(same, KEY).firstSeen()).isEqualTo(NOW);
        assertThat(pin(same, KEY).lastSeen()).isEqualTo(LATER);
        assertThat(pin(altered, KEY).firstSeen()).isEqualTo(NOW);
    }

    @Test
    void aRenamedToolIsToldFromANewOne() {
        CatalogEntry renamed = tool("git", "find", "Searches.");
        CatalogEntry elsewhere = tool("web", "find", "Searches.");

        assertThat(known.review(List.of(renamed), LATER).changes())
                .containsExactlyInAnyOrder(new Change.Renamed(KEY, "git__find"), new Change.Removed(KEY));
        // The other is still there, so that this one is new.
        assertThat(known.review(List.of(honest, renamed), LATER).changes())
                .containsExactly(new Change.Added("git__find"));
        // It was gone before.
        ToolPins gone = known.review(List.of(), LATER).pins();
        assertThat(gone.review(List.of(renamed), LATER).changes()).containsExactly(new Change.Added("git__find"));
        assertThat(gone.review(List.of(), LATER).changes()).isEmpty();
        // Another server's tool is no twin; nor is it a change, for that server is met for the first time.
        assertThat(known.review(List.of(elsewhere), LATER).changes()).containsExactly(new Change.Removed(KEY));
    }

    @Test
    void survivesItsOwnFile() {
        ToolPins pins = known.review(List.of(changed, tool("git", "fetch", "Fetches.")), LATER)
                .pins();

        ToolPins again = ToolPins.of(pins.toJson());

        assertThat(List.copyOf(again.all())).isEqualTo(List.copyOf(pins.all()));
        assertThat(Json.text(pin(pins, KEY).toJson()))
                .contains("\"approved\":false")
                .contains("approved_definition");
        assertThat(Json.text(pin(known, KEY).toJson()))
                .contains("\"approved\":true")
                .doesNotContain("approved_definition");
        assertThat(Json.text(pin(pins, "git__fetch").toJson())).doesNotContain("approved_definition");
    }

    @Test
    void aPinWithoutItsWordsIsNone() {
        assertThatThrownBy(() -> ToolPins.of("[{\"approved\":true}]".getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(JsonShapeException.class);
    }

    @Test
    void aServerWithToolsIsNotKeptAsOneWithout() {
        ToolPins pins =
                ToolPins.NONE.review(List.of(honest), Set.of("git", "web"), NOW).pins();

        assertThat(new String(pins.toJson(), StandardCharsets.UTF_8))
                .contains("\"web__\"")
                .doesNotContain("\"git__\"");
    }

    @Test
    void theOrderOfMembersMeansNothingAtAnyDepth() {
        CatalogEntry one = entry("{\"name\":\"n\",\"inputSchema\":{\"a\":[{\"x\":1,\"y\":2}],\"b\":{}}}");
        CatalogEntry same = entry("{\"inputSchema\":{\"b\":{},\"a\":[{\"y\":2,\"x\":1}]},\"name\":\"n\"}");
        CatalogEntry other = entry("{\"name\":\"n\",\"inputSchema\":{\"a\":[{\"x\":1,\"y\":3}],\"b\":{}}}");
        CatalogEntry shorter = entry("{\"name\":\"n\",\"inputSchema\":{\"a\":[],\"b\":{}}}");
        ToolPins pins = ToolPins.NONE.review(List.of(one), NOW).pins();

        assertThat(pins.isAsPinned(same)).isTrue();
        assertThat(pins.review(List.of(same), NOW).changes()).isEmpty();
        assertThat(pins.isAsPinned(other)).isFalse();
        assertThat(pins.isAsPinned(shorter)).isFalse();
    }

    private static CatalogEntry entry(String definition) {
        return new CatalogEntry(AggregatorReply.Kind.TOOLS, "s", "s__n", "n", (ObjectNode) Json.parse(definition));
    }

    @ParameterizedTest
    @CsvSource({
        "0041, false",
        "000A, false",
        "000D, false",
        "0009, false",
        "0000, true",
        "001F, true",
        "007F, true",
        "009F, true",
        "200B, true",
        "200D, true",
        "202E, true",
        "2066, true",
        "FDFF, false",
        "FE00, true",
        "FE0F, true",
        "FE10, false",
        "115F, true",
        "1160, true",
        "1161, false",
        "3164, true",
        "FFA0, true",
        "FFA1, false",
        "DFFFF, false",
        "E0000, true",
        "E0041, true",
        "E0FFF, true",
        "E1000, false"
    })
    void charactersThatNobodySeesAreSpelledOut(String hex, boolean isHidden) {
        int character = Integer.parseInt(hex, 16);

        String shown = ToolSuspicion.shown("a" + Character.toString(character));

        assertThat(shown).isEqualTo(isHidden ? "a⟨U+" + hex + "⟩" : "a" + Character.toString(character));
    }

    @Test
    void joinersAndSelectorsOfEmojiHideNothing() {
        String family = "\uD83D\uDC68\u200D\uD83D\uDC69";
        String heart = "\u2764\uFE0F\u200D\uD83D\uDD25";

        assertThat(ToolSuspicion.shown(family)).isEqualTo(family);
        assertThat(ToolSuspicion.shown(heart)).isEqualTo(heart);
        assertThat(ToolSuspicion.shown("\u2764\uFE00\u200D")).isEqualTo("\u2764⟨U+FE00⟩⟨U+200D⟩");
        assertThat(ToolSuspicion.shown("\u200D")).isEqualTo("⟨U+200D⟩");
    }

    @ParameterizedTest
    @CsvSource({
        "read_file, Use read_file first.,          true",
        "read-file, Use read-file first.,          true",
        "ab_cd,     Use ab_cd first.,              false",
        "abc_de,    Use abc_de first.,             true",
        "search,    Use search first.,             false",
        "search,    Use a__search first.,          true",
        "_abcdef,   Use _abcdef first.,            false",
        "-abcdef,   Use -abcdef first.,            false",
    })
    void aToolThatSpeaksOfAnothersToolIsTold(String name, String words, boolean expected) {
        List<CatalogEntry> catalog = List.of(tool("a", name, "Does."), tool("b", "helper", words));

        assertThat(ToolSuspicion.in(catalog).stream().anyMatch(ToolSuspicion.SpeaksOf.class::isInstance))
                .isEqualTo(expected);
    }
}
