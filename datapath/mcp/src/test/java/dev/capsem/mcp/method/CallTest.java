package dev.capsem.mcp.method;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.mcp.method.Call.Action;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.jsonrpc.JsonRpcId;
import dev.capsem.wire.jsonrpc.JsonRpcMessage.Request;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.node.ObjectNode;

class CallTest {
    /// One member would be judged, the other answered.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"type\":\"ref/prompt\",\"name\":\"good__p\",\"uri\":\"capsem://secretive/x://y\"}",
                "{\"type\":\"ref/resource\",\"name\":null,\"uri\":\"capsem://secretive/x://y\"}",
                "{\"type\":\"ref/prompt\",\"name\":\"capsem://secretive/x\"}",
                "{\"type\":\"ref/resource\",\"uri\":\"good__p\"}",
                "{}",
                "7"
            })
    void aReferenceThatCouldMeanTwoServersIsRefused(String reference) {
        assertThat(complete(reference).action()).isInstanceOf(Action.Refuse.class);
    }

    @Test
    void aReferenceNamesItsServer() {
        assertThat(complete("{\"type\":\"ref/prompt\",\"name\":\"good__p\"}").server())
                .isEqualTo("good");
        assertThat(complete("{\"type\":\"ref/resource\",\"uri\":\"capsem://docs/x://y\"}")
                        .server())
                .isEqualTo("docs");
    }

    private static Call complete(String reference) {
        ObjectNode params = Json.object();
        params.set("ref", Json.parse(reference));
        return Call.of(new Request(JsonRpcId.of(1), "completion/complete", Optional.of(params)));
    }
}
