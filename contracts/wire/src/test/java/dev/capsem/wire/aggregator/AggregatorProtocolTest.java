package dev.capsem.wire.aggregator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.wire.aggregator.AggregatorProtocol.Line;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonShapeException;
import dev.capsem.wire.jsonrpc.JsonRpcError;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.node.ObjectNode;

class AggregatorProtocolTest {
    private static final Optional<ObjectNode> NONE = Optional.empty();

    /// The lines of the published protocol, byte for byte.
    static Stream<Object[]> requests() {
        return Stream.of(
                new Object[] {new Operation.ListServers(), "{\"id\":7,\"method\":\"list_servers\"}"},
                new Object[] {
                    new Operation.ListServers(Optional.of("github")),
                    "{\"id\":7,\"method\":\"list_servers\",\"params\":{\"awaited\":\"github\"}}"
                },
                new Object[] {new Operation.ListTools(Optional.empty()), "{\"id\":7,\"method\":\"list_tools\"}"},
                new Object[] {new Operation.ListResources(Optional.empty()), "{\"id\":7,\"method\":\"list_resources\"}"
                },
                new Object[] {new Operation.ListPrompts(Optional.empty()), "{\"id\":7,\"method\":\"list_prompts\"}"},
                new Object[] {
                    new Operation.CallTool(
                            "github__search_repos", Optional.of(object("{\"query\":\"rust\"}")), NONE, false),
                    "{\"id\":7,\"method\":\"call_tool\",\"params\":{\"name\":\"github__search_repos\","
                            + "\"arguments\":{\"query\":\"rust\"}}}"
                },
                new Object[] {
                    new Operation.ReadResource("capsem://github/repo://owner/repo", NONE, false),
                    "{\"id\":7,\"method\":\"read_resource\",\"params\":{\"uri\":\"capsem://github/repo://owner/repo\"}}"
                },
                new Object[] {
                    new Operation.GetPrompt("github__review_pr", Optional.of(object("{}")), NONE, false),
                    "{\"id\":7,\"method\":\"get_prompt\",\"params\":{\"name\":\"github__review_pr\",\"arguments\":{}}}"
                },
                new Object[] {
                    new Operation.Refresh(List.of()), "{\"id\":7,\"method\":\"refresh\",\"params\":{\"servers\":[]}}"
                },
                new Object[] {new Operation.Shutdown(), "{\"id\":7,\"method\":\"shutdown\"}"},
                new Object[] {
                    new Operation.ListTools(Optional.of("c")),
                    "{\"id\":7,\"method\":\"list_tools\",\"params\":{\"cursor\":\"c\"}}"
                },
                new Object[] {
                    new Operation.ListTemplates(Optional.empty()), "{\"id\":7,\"method\":\"list_resource_templates\"}"
                },
                new Object[] {
                    new Operation.CallTool("a__b", Optional.of(object("{}")), Optional.of(object("{\"k\":1}")), true),
                    "{\"id\":7,\"method\":\"call_tool\",\"params\":{\"name\":\"a__b\",\"arguments\":{},"
                            + "\"_meta\":{\"k\":1},\"progress\":true}}"
                },
                new Object[] {
                    new Operation.Complete(object("{\"ref\":{}}")),
                    "{\"id\":7,\"method\":\"complete\",\"params\":{\"ref\":{}}}"
                },
                new Object[] {
                    new Operation.SetLevel("info"),
                    "{\"id\":7,\"method\":\"set_level\",\"params\":{\"level\":\"info\"}}"
                },
                new Object[] {
                    new Operation.Subscribe("capsem://a/u"),
                    "{\"id\":7,\"method\":\"subscribe\",\"params\":{\"uri\":\"capsem://a/u\"}}"
                },
                new Object[] {
                    new Operation.Unsubscribe("capsem://a/u"),
                    "{\"id\":7,\"method\":\"unsubscribe\",\"params\":{\"uri\":\"capsem://a/u\"}}"
                },
                new Object[] {
                    new Operation.Cancel(3, Optional.of("enough")),
                    "{\"id\":7,\"method\":\"cancel\",\"params\":{\"call\":3,\"reason\":\"enough\"}}"
                },
                new Object[] {
                    new Operation.Answer(5, new Operation.Outcome.Success(object("{}"))),
                    "{\"id\":7,\"method\":\"answer\",\"params\":{\"token\":5,\"result\":{}}}"
                },
                new Object[] {
                    new Operation.Answer(5, new Operation.Outcome.Refusal(JsonRpcError.of(-1, "no"))),
                    "{\"id\":7,\"method\":\"answer\",\"params\":{\"token\":5,\"error\":{\"code\":-1,\"message\":\"no\"}}}"
                },
                new Object[] {new Operation.RootsChanged(), "{\"id\":7,\"method\":\"roots_changed\"}"});
    }

    @ParameterizedTest
    @MethodSource("requests")
    void operationsHaveTheirPublishedShapes(Operation operation, String line) {
        AggregatorRequest request = new AggregatorRequest(7, operation);

        assertThat(text(AggregatorProtocol.line(request))).isEqualTo(line);
        assertThat(AggregatorProtocol.request(bytes(line))).isEqualTo(request);
    }

    static Stream<Object[]> replies() {
        return Stream.of(
                new Object[] {
                    new AggregatorReply.Servers(List.of(new ServerStatus(
                            "github",
                            Optional.of("https://x/"),
                            true,
                            "claude",
                            false,
                            true,
                            5,
                            0,
                            1,
                            Optional.empty()))),
                    "{\"id\":1,\"servers\":[{\"name\":\"github\",\"url\":\"https://x/\",\"enabled\":true,"
                            + "\"source\":\"claude\",\"is_stdio\":false,\"connected\":true,\"tool_count\":5,"
                            + "\"resource_count\":0,\"prompt_count\":1}]}"
                },
                new Object[] {
                    new AggregatorReply.Result(object("{\"content\":[{\"type\":\"text\",\"text\":\"...\"}]}")),
                    "{\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"...\"}]}}"
                },
                new Object[] {new AggregatorReply.Ok(), "{\"id\":1,\"ok\":true}"},
                new Object[] {
                    AggregatorReply.Failed.of("server not found: github"),
                    "{\"id\":1,\"error\":\"server not found: github\"}"
                },
                new Object[] {
                    new AggregatorReply.Failed("gone", OptionalInt.of(-32002), Optional.of(object("{\"uri\":\"u\"}"))),
                    "{\"id\":1,\"error\":\"gone\",\"code\":-32002,\"data\":{\"uri\":\"u\"}}"
                },
                new Object[] {
                    new AggregatorReply.Page(
                            AggregatorReply.Kind.TOOLS,
                            List.of(CatalogEntry.of(
                                    AggregatorReply.Kind.TOOLS,
                                    "github",
                                    object("{\"name\":\"search_repos\",\"description\":\"d\",\"inputSchema\":{},"
                                            + "\"annotations\":{\"readOnlyHint\":true},\"title\":\"T\"}"))),
                            Optional.of("n")),
                    "{\"id\":1,\"tools\":[{\"namespaced_name\":\"github__search_repos\","
                            + "\"original_name\":\"search_repos\",\"server_name\":\"github\",\"description\":\"d\","
                            + "\"input_schema\":{},\"annotations\":{\"read_only_hint\":true},"
                            + "\"extra\":{\"title\":\"T\"}}],\"next_cursor\":\"n\"}"
                },
                new Object[] {
                    new AggregatorReply.Page(
                            AggregatorReply.Kind.RESOURCES,
                            List.of(
                                    CatalogEntry.of(
                                            AggregatorReply.Kind.RESOURCES,
                                            "github",
                                            object(
                                                    "{\"uri\":\"repo://owner/repo\",\"mimeType\":\"text/plain\",\"name\":\"n\"}"))),
                            Optional.empty()),
                    "{\"id\":1,\"resources\":[{\"namespaced_uri\":\"capsem://github/repo://owner/repo\","
                            + "\"original_uri\":\"repo://owner/repo\",\"server_name\":\"github\","
                            + "\"mime_type\":\"text/plain\",\"name\":\"n\"}]}"
                });
    }

    @ParameterizedTest
    @MethodSource("replies")
    void repliesHaveTheirPublishedShapes(AggregatorReply reply, String line) {
        assertThat(text(AggregatorProtocol.line(1, reply))).isEqualTo(line);
        assertThat(AggregatorProtocol.fromAggregator(bytes(line))).isEqualTo(new Line.Reply(1, reply));
    }

    @Test
    void eventsAreReadAsTheyWereWritten() {
        AggregatorEvent notification = new AggregatorEvent.ServerNotification(
                "github", OptionalLong.of(4), "notifications/progress", Optional.of(object("{\"progress\":1}")));
        AggregatorEvent request =
                new AggregatorEvent.ServerRequest("github", OptionalLong.empty(), 9, "roots/list", Optional.empty());

        assertThat(AggregatorProtocol.fromAggregator(AggregatorProtocol.line(notification)))
                .isEqualTo(new Line.Event(notification));
        assertThat(AggregatorProtocol.fromAggregator(AggregatorProtocol.line(request)))
                .isEqualTo(new Line.Event(request));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "{\"id\":1}",
                "{\"method\":\"list_tools\"}",
                "{\"id\":1,\"method\":\"format_disk\"}",
                "{\"id\":1,\"method\":\"call_tool\"}",
                "{\"id\":1,\"method\":\"refresh\",\"params\":{}}",
            })
    void brokenRequestsAreToldApartFromOurBugs(String line) {
        assertThatThrownBy(() -> AggregatorProtocol.request(bytes(line))).isInstanceOf(JsonShapeException.class);
    }

    @Test
    void definitionsHaveTheirPublishedShapeAndHideTheirSecrets() {
        String line = "[{\"name\":\"github\",\"url\":\"https://api.example/mcp/\",\"headers\":{\"X-K\":\"v3ry\"},"
                + "\"bearer_token\":\"ghp_xxxx\",\"enabled\":true,\"source\":\"claude\",\"unsupported_stdio\":false}]";

        List<ServerDefinition> definitions = ServerDefinition.listOf(Json.parse(line));

        assertThat(Json.text(ServerDefinition.toJson(definitions))).isEqualTo(line);
        assertThat(definitions.toString()).doesNotContain("ghp_xxxx").doesNotContain("v3ry");
    }

    @Test
    void namesThatWouldCollideAreRefused() {
        assertThat(Stream.of("", "builtin", "file", "local", "a__b", "a/b").map(AggregatorProtocolTest::named))
                .allSatisfy(definition -> assertThat(definition.complaint()).isPresent());
        assertThat(named("github").complaint()).isEmpty();
    }

    @Test
    void namesAreSplitWhereTheyWereJoined() {
        assertThat(Namespace.splitName("github__my__tool")).hasValue(new Namespace.Split("github", "my__tool"));
        assertThat(Namespace.splitUri("capsem://github/repo://owner/repo"))
                .hasValue(new Namespace.Split("github", "repo://owner/repo"));
        assertThat(Stream.of("tool", "__tool", "server__", "").map(Namespace::splitName))
                .allSatisfy(split -> assertThat(split).isEmpty());
        assertThat(Stream.of("https://a/b", "capsem:///x", "capsem://a", "capsem://a/")
                        .map(Namespace::splitUri))
                .allSatisfy(split -> assertThat(split).isEmpty());
    }

    private static ServerDefinition named(String name) {
        return new ServerDefinition(
                name,
                Optional.of("http://x"),
                Map.of(),
                Optional.empty(),
                true,
                "user",
                false,
                Optional.empty(),
                List.of());
    }

    private static ObjectNode object(String json) {
        return (ObjectNode) Json.parse(json);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
