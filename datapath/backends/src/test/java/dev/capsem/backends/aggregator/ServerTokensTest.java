package dev.capsem.backends.aggregator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.wire.aggregator.SecretText;
import dev.capsem.wire.aggregator.ServerDefinition;
import dev.capsem.wire.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class ServerTokensTest {
    private static final String TOKEN = "mcp/Token+0123456789";

    @Test
    void noSpellingOfATokenLeaves() {
        ServerTokens tokens = ServerTokens.of(List.of(server("docs", Map.of(), Optional.of(TOKEN))));
        byte[] bytes = TOKEN.getBytes(StandardCharsets.UTF_8);
        for (String spelling : List.of(
                TOKEN,
                Base64.getEncoder().encodeToString(bytes),
                Base64.getEncoder().encodeToString(("a" + TOKEN).getBytes(StandardCharsets.UTF_8)),
                Base64.getUrlEncoder().encodeToString(("ab" + TOKEN).getBytes(StandardCharsets.UTF_8)),
                HexFormat.of().formatHex(bytes),
                "mcp%2FToken%2B0123456789",
                "mcp\\/Token+0123456789")) {
            String line = without(tokens, Json.text(Json.object().put("text", "it is " + spelling + "!")));

            assertThat(line).doesNotContain(spelling).contains("it is ");
            assertThat(Json.parse(line).path("text").asString()).endsWith("!");
        }
    }

    @Test
    void headersThatHoldCredentialsCountAndOthersDoNot() {
        ServerTokens tokens = ServerTokens.of(List.of(server(
                "docs",
                Map.of(
                        "X-Api-Key",
                        "key-0123456789",
                        "Authorization",
                        "Token abc-0123456789",
                        "X-Version",
                        "2026-01-01"),
                Optional.empty())));

        assertThat(without(tokens, "key-0123456789 abc-0123456789 2026-01-01"))
                .doesNotContain("key-0123456789")
                .doesNotContain("abc-0123456789")
                .endsWith(" 2026-01-01");
    }

    @Test
    void theTokenBeforeAReloadStaysUnsaid() {
        ServerTokens before = ServerTokens.of(List.of(server("docs", Map.of(), Optional.of("first-token-1"))));
        ServerTokens after = before.and(List.of(server("docs", Map.of(), Optional.of("second-token-2"))));

        assertThat(without(after, "first-token-1 second-token-2"))
                .doesNotContain("first-token-1")
                .doesNotContain("second-token-2");
        assertThat(after.toString()).isEqualTo("ServerTokens[2]");
    }

    private static String without(ServerTokens tokens, String text) {
        return new String(tokens.without(text.getBytes(StandardCharsets.UTF_8)), StandardCharsets.UTF_8);
    }

    private static ServerDefinition server(String name, Map<String, String> headers, Optional<String> token) {
        Map<String, SecretText> secret = new LinkedHashMap<>();
        headers.forEach((header, value) -> secret.put(header, new SecretText(value)));
        return new ServerDefinition(
                name,
                Optional.of("https://mcp.example"),
                secret,
                token.map(SecretText::new),
                true,
                "profile",
                false,
                Optional.empty(),
                List.of());
    }
}
