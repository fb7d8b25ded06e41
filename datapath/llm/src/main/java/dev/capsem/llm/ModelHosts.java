package dev.capsem.llm;

import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// Whose models a host serves, by its name.
final class ModelHosts {
    /// A host that serves a model API and is in no table.
    static final String UNKNOWN = "unknown";

    /// The hosts on which the path alone tells a model call. Nothing but models is served there.
    static final Map<String, String> CERTAIN = Map.of(
            "api.anthropic.com", "anthropic",
            "api.openai.com", "openai",
            "generativelanguage.googleapis.com", "google");

    private static final Map<String, String> EXACT = Map.ofEntries(
            Map.entry("aiplatform.googleapis.com", "vertex"),
            Map.entry("cloudcode-pa.googleapis.com", "google"),
            Map.entry("chatgpt.com", "chatgpt"),
            Map.entry("openrouter.ai", "openrouter"),
            Map.entry("api.mistral.ai", "mistral"),
            Map.entry("codestral.mistral.ai", "mistral"),
            Map.entry("api.deepseek.com", "deepseek"),
            Map.entry("api.groq.com", "groq"),
            Map.entry("api.x.ai", "x-ai"),
            Map.entry("api.moonshot.ai", "moonshotai"),
            Map.entry("api.moonshot.cn", "moonshotai"),
            Map.entry("ollama.com", "ollama"));

    /// A name that ends so, with something before it.
    private static final Map<String, String> ENDINGS = Map.of(
            ".openai.azure.com", "azure",
            ".cognitiveservices.azure.com", "azure",
            ".services.ai.azure.com", "azure",
            ".models.ai.azure.com", "azure",
            ".azure-api.net", "azure",
            "-aiplatform.googleapis.com", "vertex");

    private ModelHosts() {}

    static Optional<String> provider(String host) {
        String exact = EXACT.get(host);
        if (exact != null) {
            return Optional.of(exact);
        }
        if (isBedrock(host)) {
            return Optional.of("bedrock");
        }
        return ENDINGS.entrySet().stream()
                .filter(entry -> host.endsWith(entry.getKey())
                        && host.length() > entry.getKey().length())
                .map(Map.Entry::getValue)
                .findFirst();
    }

    /// `bedrock-runtime.<region>.amazonaws.com`, with its variants for FIPS, China and private endpoints.
    private static boolean isBedrock(String host) {
        boolean isAmazon =
                Stream.of(".amazonaws.com", ".amazonaws.com.cn", ".api.aws").anyMatch(host::endsWith);
        return isAmazon
                && Stream.of(host.split("\\."))
                        .anyMatch(label -> label.equals("bedrock-runtime") || label.equals("bedrock-runtime-fips"));
    }
}
