package dev.capsem.policy.lowering;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.policy.Capgate;
import dev.capsem.policy.FixtureManifests;
import dev.capsem.policy.artifact.Rows;
import dev.capsem.policy.egress.EgressKind;
import dev.capsem.policy.egress.EgressOptions;
import dev.capsem.policy.ir.Element;
import dev.capsem.policy.ir.Policy;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.tomlj.Toml;
import org.tomlj.TomlParseResult;

/// Texts in formats that are not ours, read by parsers that are not ours.
class ForeignFormatsTest {
    static List<String> fixtures() {
        return FixtureManifests.names();
    }

    @ParameterizedTest
    @MethodSource("fixtures")
    void yamlAllowListReadsBackAsThePolicy(String fixture) {
        Policy policy = FixtureManifests.compile(fixture).policy();
        String text = Capgate.lowerToEgress(
                        policy, EgressOptions.of(EgressKind.YAML).permissive())
                .config();

        Map<?, ?> document = (Map<?, ?>) new Load(LoadSettings.builder().build()).loadFromString(text);

        assertThat(document.get("default")).isEqualTo("deny");
        List<?> allowed = (List<?>) Objects.requireNonNull(document.get("allow"));
        assertThat(allowed).hasSameSizeAs(policy.net());
        for (int i = 0; i < allowed.size(); i++) {
            Element.NetRule rule = policy.net().get(i);
            Map<?, ?> entry = (Map<?, ?>) allowed.get(i);
            assertThat(entry.get("host")).isEqualTo(rule.host().text());
            assertThat(entry.get("blockPrivate")).isEqualTo(rule.blockPrivate());
            assertThat(entry.get("port"))
                    .isEqualTo(rule.port().isPresent() ? (Object) rule.port().getAsInt() : "any");
        }
    }

    @ParameterizedTest
    @MethodSource("fixtures")
    void jsonDocumentsAreYaml(String fixture) {
        Policy policy = FixtureManifests.compile(fixture).policy();
        for (LoweringTarget target :
                List.of(LoweringTarget.COMPOSE, LoweringTarget.DOCKER_MCP, LoweringTarget.KUBERNETES)) {
            String text =
                    target.lower(policy, LoweringOptions.DEFAULT.permissive()).raw();

            assertThat(new Load(LoadSettings.builder().build()).loadFromString(text))
                    .isInstanceOf(Map.class);
        }
    }

    @ParameterizedTest
    @MethodSource("fixtures")
    void profileFragmentIsToml(String fixture) {
        Policy policy = FixtureManifests.compile(fixture).policy();
        String text = LoweringTarget.CAPSEM
                .lower(policy, LoweringOptions.DEFAULT.withTools(List.of("read", "a\"b\n")))
                .raw();

        TomlParseResult toml = Toml.parse(text);

        assertThat(toml.errors()).isEmpty();
        String server = "mcpServers." + Rows.slug(policy.serverName()) + ".capsem";
        assertThat(toml.getArrayOrEmpty(server + ".allowed_tools").toList()).isEqualTo(List.of("read", "a\"b\n"));
        assertThat(toml.getArrayOrEmpty(server + ".capabilities").size())
                .isEqualTo(policy.elements().size());
        assertThat(toml.getTable("security.rules.mcp")).isNotNull();
    }
}
