package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/// What every client of capsem-mcp drives: the example of each tool's description, then calls that must fail. The
/// table is a file, because the TypeScript client reads it too.
record HostMcpCases(List<Case> cases) {
    private static final String ERROR = "dev.capsem/error";

    record Case(String tool, Map<String, JsonNode> answer, List<Failure> failures) {}

    record Failure(JsonNode arguments, String code) {}

    /// Answers as `tools/call` does: `structuredContent`, `isError`, `_meta`.
    interface Client {
        JsonNode call(String tool, JsonNode arguments);
    }

    static HostMcpCases read() {
        try {
            JsonNode table = Installation.JSON.readTree(
                    Files.readAllBytes(NetClients.FOLDER.resolve("scripts/host_mcp_cases.json")));
            return new HostMcpCases(
                    table.path("tools").valueStream().map(HostMcpCases::read).toList());
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static Case read(JsonNode row) {
        return new Case(
                row.path("name").asString(),
                row.path("answer").propertyStream().collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)),
                row.path("failures")
                        .valueStream()
                        .map(failure -> new Failure(
                                failure.path("arguments"), failure.path("code").asString()))
                        .toList());
    }

    /// Requires: a temporary sandbox `brave-lynx-tmp` and no other; `tools` as `tools/list` answers.
    void driveExamples(JsonNode tools, Client client) {
        Map<String, String> descriptions = tools.valueStream()
                .collect(Collectors.toMap(
                        tool -> tool.path("name").asString(),
                        tool -> tool.path("description").asString()));
        assertThat(cases).extracting(Case::tool).containsExactlyInAnyOrderElementsOf(descriptions.keySet());
        for (Case each : cases) {
            String example = descriptions.getOrDefault(each.tool(), "").split("Example: ", 2)[1];
            JsonNode result = client.call(each.tool(), Installation.JSON.readTree(example));
            assertThat(result.path("isError").asBoolean(false))
                    .as("%s %s: %s", each.tool(), example, result)
                    .isFalse();
            assertThat(result.path("structuredContent").isObject())
                    .as("%s: %s", each.tool(), result)
                    .isTrue();
            each.answer()
                    .forEach((member, value) -> assertThat(
                                    result.path("structuredContent").path(member))
                            .as("%s of %s", member, each.tool())
                            .isEqualTo(value));
        }
    }

    /// Requires: the examples ran before; some failures are about what they left.
    void driveFailures(Predicate<Case> chosen, Client client) {
        for (Case each : cases.stream().filter(chosen).toList()) {
            assertThat(each.failures()).as(each.tool()).hasSizeGreaterThan(1);
            for (Failure failure : each.failures()) {
                JsonNode result = client.call(each.tool(), failure.arguments());
                String what = each.tool() + " " + failure.arguments() + ": " + result;
                assertThat(result.path("isError").asBoolean(false)).as(what).isTrue();
                JsonNode error = result.path("_meta").path(ERROR);
                assertThat(error.path("code").asString("")).as(what).isEqualTo(failure.code());
                assertThat(error.path("cause").asString("")).as(what).isNotEmpty();
                assertThat(error.path("remedy").asString("")).as(what).isNotEmpty();
            }
        }
    }
}
