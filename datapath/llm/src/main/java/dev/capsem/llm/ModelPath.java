package dev.capsem.llm;

import dev.capsem.llm.provider.ApiFormat;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// A request's path, and the format it is of on hosts that may serve anything.
///
/// @param text without escapes; `//` counts as `/` and a slash at the end as none. Servers take such spellings for the
/// same path, so none of them may escape the rules.
record ModelPath(String text) {
    /// Paths that an API adds to its base URL, on hosts of any provider. Longer ones come before those they end with.
    private static final List<Ending> ENDINGS = List.of(
            new Ending("/chat/completions", ApiFormat.OPENAI_CHAT),
            new Ending("/responses", ApiFormat.OPENAI_RESPONSES),
            new Ending("/completions", ApiFormat.OPENAI_OTHER),
            new Ending("/api/embeddings", ApiFormat.OLLAMA_OTHER),
            new Ending("/api/embed", ApiFormat.OLLAMA_OTHER),
            new Ending("/embeddings", ApiFormat.OPENAI_OTHER),
            new Ending("/api/chat", ApiFormat.OLLAMA),
            new Ending("/api/generate", ApiFormat.OLLAMA),
            new Ending("/v1/messages", ApiFormat.ANTHROPIC_MESSAGES),
            new Ending("/v1/complete", ApiFormat.ANTHROPIC_OTHER),
            new Ending(":generatecontent", ApiFormat.GEMINI),
            new Ending(":streamgeneratecontent", ApiFormat.GEMINI),
            new Ending(":embedcontent", ApiFormat.GEMINI_OTHER),
            new Ending(":batchembedcontents", ApiFormat.GEMINI_OTHER),
            new Ending(":counttokens", ApiFormat.GEMINI_OTHER));

    /// Bedrock's operations, after the model's id. That of Converse tells its format, the others leave it to the model.
    private static final List<String> INVOKE = List.of("/invoke", "/invoke-with-response-stream");

    private static final List<String> CONVERSE = List.of("/converse", "/converse-stream");

    /// Google's cloud hands a request on to the maker of the model as it is.
    private static final List<String> RAW = List.of(":rawpredict", ":streamrawpredict");

    private record Ending(String text, ApiFormat format) {}

    static ModelPath of(String normalizedPath) {
        String plain = decoded(normalizedPath);
        String single = plain.contains("//") ? plain.replaceAll("/{2,}", "/") : plain;
        boolean hasSlash = single.length() > 1 && single.endsWith("/");
        return new ModelPath(hasSlash ? single.substring(0, single.length() - 1) : single);
    }

    private static String decoded(String path) {
        if (path.indexOf('%') < 0) {
            return path;
        }
        try {
            return URLDecoder.decode(path.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException notEscapes) {
            return path;
        }
    }

    /// Some servers do not tell capitals from small letters.
    Optional<ApiFormat> format() {
        String small = text.toLowerCase(Locale.ROOT);
        for (Ending ending : ENDINGS) {
            if (small.endsWith(ending.text())) {
                return Optional.of(ending.format());
            }
        }
        if (RAW.stream().anyMatch(small::endsWith)) {
            return Optional.of(
                    small.contains("/publishers/anthropic/") ? ApiFormat.ANTHROPIC_MESSAGES : ApiFormat.OPENAI_CHAT);
        }
        return small.contains("/model/") ? bedrock(small) : Optional.empty();
    }

    private static Optional<ApiFormat> bedrock(String small) {
        if (CONVERSE.stream().anyMatch(small::endsWith)) {
            return Optional.of(ApiFormat.BEDROCK_CONVERSE);
        }
        if (INVOKE.stream().anyMatch(small::endsWith)) {
            return Optional.of(small.contains("anthropic.") ? ApiFormat.BEDROCK_ANTHROPIC : ApiFormat.BEDROCK_OTHER);
        }
        return Optional.empty();
    }
}
