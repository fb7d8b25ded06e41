package dev.capsem.llm.tool;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ToolNameTest {
    @ParameterizedTest
    @CsvSource({
        "bash, native, bash",
        "write_file, native, write_file",
        "fetch_http, local, fetch_http",
        "local__fetch_http, local, local.fetch_http",
        "mcp__capsem__local__grep_http, local, local.grep_http",
        "mcp__capsem__snapshots_create, local, snapshots_create",
        "capsem__file_read, local, file_read",
        "mcp_capsem_dir_list, local, dir_list",
        "github__list_repos, mcp_proxy, github.list_repos",
        "mcp__capsem__github__list_repos, mcp_proxy, github.list_repos",
        "mcp__other__tool, mcp_proxy, mcp.other.tool",
        "mcp__capsem__bash, native, bash",
        "local__unheard_of, mcp_proxy, local.unheard_of",
        "mcp__capsem__, mcp_proxy, mcp.capsem."
    })
    void saysWhoseToolItIs(String raw, String origin, String normalized) {
        ToolName name = new ToolName(raw);

        assertThat(name.origin().wireName()).isEqualTo(origin);
        assertThat(name.normalized()).isEqualTo(normalized);
    }
}
