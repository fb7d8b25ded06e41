import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.ServerParameters;
import io.modelcontextprotocol.client.transport.StdioClientTransport;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.jackson3.JacksonMcpJsonMapper;
import io.modelcontextprotocol.spec.McpSchema;
import java.util.stream.Collectors;
import tools.jackson.databind.json.JsonMapper;

/// Lists the tools behind the relay, then calls some: name and arguments (JSON) in turn.
class McpSdkClient {
    public static void main(String[] arguments) {
        McpJsonMapper json = new JacksonMcpJsonMapper(new JsonMapper());
        var transport = new StdioClientTransport(
                ServerParameters.builder("capsem-mcp-server").build(), json);
        try (McpSyncClient client = McpClient.sync(transport).build()) {
            client.initialize();
            System.out.println(client.listTools().tools().stream()
                    .map(McpSchema.Tool::name)
                    .collect(Collectors.joining(" ")));
            for (int i = 0; i + 1 < arguments.length; i += 2) {
                var result = client.callTool(new McpSchema.CallToolRequest(json, arguments[i], arguments[i + 1]));
                var content = (McpSchema.TextContent) result.content().getFirst();
                System.out.println((Boolean.TRUE.equals(result.isError()) ? "failed: " : "") + content.text());
            }
        }
    }
}
