package dev.capsem.hostmcp.tools;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.client.io.ServiceCallException;
import dev.capsem.testkit.service.FakeService;
import dev.capsem.toolserver.McpTool;
import dev.capsem.toolserver.ServerSession;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.jsonrpc.JsonRpcId;
import dev.capsem.wire.jsonrpc.JsonRpcMessage;
import dev.capsem.wire.jsonrpc.JsonRpcMessage.Request;
import dev.capsem.wire.jsonrpc.JsonRpcMessage.Result;
import dev.capsem.wire.service.ExecEvent;
import dev.capsem.wire.service.ServiceError;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

class HostToolsTest {
    private final FakeService host = new FakeService();
    private final ServerSession session = new ServerSession(HostTools.server(host, "9"), _ -> {});

    HostToolsTest() {
        host.everyAnswer = Optional.of(Json.object().put("success", true));
    }

    @Test
    void areExactlyTheRegistry() {
        assertThat(HostTools.tools(host, "9").stream().map(McpTool::name))
                .containsExactly(
                        "capsem_create",
                        "capsem_list",
                        "capsem_info",
                        "capsem_exec",
                        "capsem_run",
                        "capsem_read_file",
                        "capsem_write_file",
                        "capsem_stop",
                        "capsem_suspend",
                        "capsem_resume",
                        "capsem_persist",
                        "capsem_delete",
                        "capsem_purge",
                        "capsem_fork",
                        "capsem_vm_logs",
                        "capsem_service_logs",
                        "capsem_host_logs",
                        "capsem_panics",
                        "capsem_triage",
                        "capsem_timeline",
                        "capsem_inspect_schema",
                        "capsem_inspect",
                        "capsem_version",
                        "capsem_mcp_connectors",
                        "capsem_mcp_add",
                        "capsem_mcp_delete");
    }

    @Test
    void everyArgumentIsDescribedAndEveryExampleFits() {
        for (McpTool tool : HostTools.tools(host, "9")) {
            var names = new HashSet<String>();
            tool.input().arguments().forEach(argument -> {
                assertThat(names.add(argument.name())).as(tool.name()).isTrue();
                assertThat(argument.description()).as(tool.name()).hasSizeGreaterThan(10);
            });
            String example = tool.description().substring(tool.description().indexOf("Example: ") + 9);
            assertThat(tool.input().check(tool.name(), (ObjectNode) Json.parse(example)))
                    .as(tool.name())
                    .isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            capsem_create   | {"name":"a","ramMb":512,"cpuCount":2,"env":{"K":"v"},"image":"b"} | POST /provision {"persistent":true,"name":"a","ram_mb":512,"cpus":2,"env":{"K":"v"},"from":"b"}
            capsem_create   | {"from":"b"}                        | POST /provision {"persistent":false,"from":"b"}
            capsem_create   | {"profile":"locked-down"}           | POST /provision {"persistent":false,"profile_id":"locked-down"}
            capsem_list     | {}                                  | GET /list
            capsem_info     | {"id":"a/../b"}                     | GET /info/a%2F..%2Fb
            capsem_read_file | {"id":"a","path":"x"}              | READ a x
            capsem_write_file | {"id":"a","path":"x","content":"y"} | WRITE a x y
            capsem_write_file | {"id":"a","path":"x","content":"eQ==","encoding":"base64"} | WRITE a x y
            capsem_stop     | {"id":"a"}                          | POST /stop/a {}
            capsem_suspend  | {"id":"a"}                          | POST /suspend/a {}
            capsem_resume   | {"name":"a"}                        | POST /resume/a {}
            capsem_persist  | {"id":"a","name":"b"}               | POST /persist/a {"name":"b"}
            capsem_delete   | {"id":"a"}                          | DELETE /delete/a
            capsem_purge    | {}                                  | POST /purge {"all":false}
            capsem_purge    | {"all":true}                        | POST /purge {"all":true}
            capsem_fork     | {"id":"a","name":"b","description":"d"} | POST /fork/a {"name":"b","description":"d"}
            capsem_vm_logs  | {"id":"a"}                          | GET /logs/a
            capsem_service_logs | {}                              | GET /service-logs
            capsem_host_logs | {"name":"mcp","grep":"a b","tail":3,"maxBytes":9} | GET /host-logs/mcp?grep=a%20b&tail=3&max_bytes=9
            capsem_panics   | {"since":"1h","limit":3,"id":"x"}   | GET /panics?since=1h&limit=3
            capsem_triage   | {"id":"a"}                          | GET /triage?id=a
            capsem_timeline | {"id":"a","traceId":"t","since":"1h","limit":3,"layers":["exec","net"]} | GET /timeline/a?since=1h&limit=3&trace_id=t&layers=exec%2Cnet
            capsem_inspect  | {"id":"a","sql":"SELECT 1"}         | POST /inspect/a {"id":"a","sql":"SELECT 1"}
            capsem_version  | {}                                  | GET /version
            capsem_mcp_connectors | {"profile":"p"}               | GET /mcp/connectors?profile=p
            capsem_mcp_add  | {"id":"d","url":"https://x/","disabled":true,"allowed_tools":["t"],"profile":"p"} | POST /mcp/connectors {"id":"d","enabled":false,"capsem":{"allowed_tools":["t"]},"profile":"p","url":"https://x/"}
            capsem_mcp_add  | {"id":"d","command":"/usr/bin/d","credential_refs":["k"],"capabilities":["net:connect:d.example:443"]} | POST /mcp/connectors {"id":"d","enabled":true,"capsem":{"credential_refs":["k"],"capabilities":["net:connect:d.example:443"]},"command":"/usr/bin/d"}
            capsem_mcp_delete | {"id":"d"}                        | DELETE /mcp/connectors/d
            """)
    void askTheService(String tool, String arguments, String asked) {
        JsonNode result = call(tool, arguments);

        assertThat(result.path("isError").asBoolean(false)).as("%s", result).isFalse();
        assertThat(host.asked).containsExactly(asked);
    }

    @Test
    void aCommandsStreamBecomesOneAnswer() {
        host.execEvents = List.of(
                new ExecEvent.Started("a", 7, List.of("the profile coding has a mistake")),
                new ExecEvent.Stdout("hé".getBytes(StandardCharsets.UTF_8)),
                new ExecEvent.Stderr("warn".getBytes(StandardCharsets.UTF_8)),
                new ExecEvent.Exited(3, 12, 3, 4, false, Optional.empty()));

        JsonNode answer =
                call("capsem_exec", "{\"id\":\"a\",\"command\":\"x\"}").path("structuredContent");

        assertThat(answer.path("exit_code").asInt()).isEqualTo(3);
        assertThat(answer.path("stdout").asString()).isEqualTo("hé");
        assertThat(answer.path("stderr").asString()).isEqualTo("warn");
        assertThat(answer.path("warnings").get(0).asString()).isEqualTo("the profile coding has a mistake");
        assertThat(host.asked)
                .containsExactly("COMMAND /exec/a {\"command\":\"x\",\"timeout_secs\":300,\"source\":\"mcp\"}");
    }

    @Test
    void theTimeoutHasTwoNames() {
        host.execEvents = List.of(new ExecEvent.Exited(0, 1, 0, 0, false, Optional.empty()));

        call("capsem_exec", "{\"id\":\"a\",\"command\":\"x\",\"timeout_secs\":7}");
        JsonNode both = call("capsem_exec", "{\"id\":\"a\",\"command\":\"x\",\"timeout\":1,\"timeout_secs\":2}");

        assertThat(host.asked)
                .containsExactly("COMMAND /exec/a {\"command\":\"x\",\"timeout_secs\":7,\"source\":\"mcp\"}");
        assertThat(both.path("isError").asBoolean()).isTrue();
        assertThat(both.toString()).contains("timeout and timeout_secs differ");
    }

    @Test
    void outputBeyondTheLimitIsCutAndSaidSo() {
        byte[] half = new byte[CommandOutcome.STREAM_BYTES_MAX - 1];
        host.execEvents = List.of(
                new ExecEvent.Stdout(half),
                new ExecEvent.Stdout(new byte[] {'a', 'b'}),
                new ExecEvent.Exited(0, 1, half.length + 2L, 0, false, Optional.empty()));

        JsonNode answer =
                call("capsem_run", "{\"command\":\"x\",\"timeout\":5}").path("structuredContent");

        assertThat(answer.path("stdout").asString())
                .hasSize(CommandOutcome.STREAM_BYTES_MAX)
                .endsWith("a");
        assertThat(answer.path("truncated").asBoolean()).isTrue();
        assertThat(answer.path("stdout_bytes").asLong()).isEqualTo(half.length + 2L);
    }

    @Test
    void bytesThatAreNotTextComeAsBase64() {
        host.writeFile("a", "bin", new byte[] {(byte) 0xff, 0, 1});

        JsonNode answer =
                call("capsem_read_file", "{\"id\":\"a\",\"path\":\"bin\"}").path("structuredContent");

        assertThat(answer.path("encoding").asString()).isEqualTo("base64");
        assertThat(answer.path("content").asString()).isEqualTo("/wAB");
        assertThat(answer.path("size").asInt()).isEqualTo(3);
    }

    @Test
    void refusalsKeepTheServicesCodeAndRemedy() {
        host.refusal = Optional.of(new ServiceCallException(
                404, new ServiceError("sandbox not found: x", "sandbox_not_found", "see which there are")));

        JsonNode result = call("capsem_info", "{\"id\":\"x\"}");

        assertThat(result.path("isError").asBoolean()).isTrue();
        assertThat(result.path("content").path(0).path("text").asString())
                .isEqualTo("404 Not Found: sandbox not found: x\ncode: sandbox_not_found\nremedy: see which there are");
        assertThat(result.path("_meta").path("dev.capsem/error").path("code").asString())
                .isEqualTo("sandbox_not_found");
        assertThat(result.has("structuredContent")).isFalse();
    }

    @Test
    void anErrorInAGoodAnswerIsAFailureToo() {
        host.everyAnswer = Optional.of(Json.object().put("error", "no").put("code", "c"));

        assertThat(call("capsem_list", "{}").path("isError").asBoolean()).isTrue();
    }

    @Test
    void aDeadServiceIsAnAnswerOfVersion() {
        host.refusal = Optional.of(
                new ServiceCallException(0, new ServiceError("nobody there", "service_unreachable", "start it")));

        JsonNode answer = call("capsem_version", "{}").path("structuredContent");

        assertThat(answer.path("mcp_version").asString()).isEqualTo("9");
        assertThat(answer.path("service").asString()).isEqualTo("unreachable: nobody there");
    }

    @Test
    void twoDifferentImagesAreRefused() {
        assertThat(call("capsem_create", "{\"image\":\"a\",\"from\":\"b\"}")
                        .path("isError")
                        .asBoolean())
                .isTrue();
        assertThat(host.asked).isEmpty();
    }

    @Test
    void logsArePickedByLine() {
        host.everyAnswer = Optional.of(Json.object()
                .put("logs", "One\ntwo\nthree ONE\n")
                .put("serial_logs", "one")
                .put("process_logs", "none"));

        JsonNode answer = call("capsem_vm_logs", "{\"id\":\"a\",\"grep\":\"one\",\"tail\":1}")
                .path("structuredContent");

        assertThat(answer.path("logs").asString()).isEqualTo("three ONE");
        assertThat(answer.path("serial_logs").asString()).isEqualTo("one");
        assertThat(answer.has("security_logs")).isFalse();
    }

    private JsonNode call(String tool, String arguments) {
        ObjectNode params = Json.object().put("name", tool);
        params.set("arguments", Json.parse(arguments));
        List<JsonRpcMessage> sent = new ArrayList<>();
        session.answer(new Request(JsonRpcId.of(1), "tools/call", Optional.of(params)), sent::add);
        return ((Result) sent.getFirst()).result();
    }
}
