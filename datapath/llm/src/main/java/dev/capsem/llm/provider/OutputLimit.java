package dev.capsem.llm.provider;

import java.util.Map;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/// How many tokens a call may bring back, as its request says. Only members that the format's server obeys count,
/// and of several the largest.
public final class OutputLimit {
    /// More than any model answers with in one turn as of 2026, where a request sets no limit.
    public static final long UNSET = 128_000;

    /// No server gives more answers to one request; OpenAI allows 128.
    private static final long CHOICES_MAX = 128;

    private static final JsonFactory JSON = new JsonFactory();

    /// By the member that holds the limit; the empty one is the request itself.
    private static final Map<String, Set<String>> GEMINI = Map.of(
            "generationConfig", Set.of("maxOutputTokens", "max_output_tokens"),
            "generation_config", Set.of("maxOutputTokens", "max_output_tokens"));

    private static final Map<String, Set<String>> GEMINI_CHOICES = Map.of(
            "generationConfig", Set.of("candidateCount", "candidate_count"),
            "generation_config", Set.of("candidateCount", "candidate_count"));

    private final Map<String, Set<String>> limits;
    private final Map<String, Set<String>> counts;
    private long limit = -1;
    private long choices = 1;

    private OutputLimit(Map<String, Set<String>> limits, Map<String, Set<String>> counts) {
        this.limits = limits;
        this.counts = counts;
    }

    /// Never below what the call may bring back. A body that is not JSON to its end sets no limit.
    public static long tokens(ApiFormat format, byte[] body) {
        OutputLimit reading = switch (format) {
            case ANTHROPIC_MESSAGES, BEDROCK_ANTHROPIC -> new OutputLimit(Map.of("", Set.of("max_tokens")), Map.of());
            case OPENAI_CHAT ->
                new OutputLimit(
                        Map.of("", Set.of("max_tokens", "max_completion_tokens")), Map.of("", Set.of("n", "best_of")));
            case OPENAI_RESPONSES -> new OutputLimit(Map.of("", Set.of("max_output_tokens")), Map.of());
            case GEMINI -> new OutputLimit(GEMINI, GEMINI_CHOICES);
            case OLLAMA -> new OutputLimit(Map.of("options", Set.of("num_predict")), Map.of());
            case BEDROCK_CONVERSE -> new OutputLimit(Map.of("inferenceConfig", Set.of("maxTokens")), Map.of());
            case ANTHROPIC_OTHER, OPENAI_OTHER, GEMINI_OTHER, OLLAMA_OTHER, BEDROCK_OTHER ->
                new OutputLimit(Map.of(), Map.of("", Set.of("n", "best_of")));
        };
        return reading.read(body);
    }

    private long read(byte[] body) {
        try (JsonParser in = JSON.createParser(ObjectReadContext.empty(), body)) {
            if (in.nextToken() == JsonToken.START_OBJECT) {
                members(in, "", true);
            }
        } catch (JacksonException malformed) {
            limit = UNSET;
            choices = CHOICES_MAX;
        }
        return (limit < 0 ? UNSET : limit) * choices;
    }

    /// @param isRequest whether these are the members of the request itself
    private void members(JsonParser in, String holder, boolean isRequest) {
        Set<String> limiting = limits.getOrDefault(holder, Set.of());
        Set<String> counting = counts.getOrDefault(holder, Set.of());
        while (in.nextToken() == JsonToken.PROPERTY_NAME) {
            String name = in.currentName();
            JsonToken value = in.nextToken();
            if (limiting.contains(name)) {
                limit = Math.max(limit, number(in, value));
            } else if (counting.contains(name)) {
                choices = Math.max(choices, Math.min(number(in, value), CHOICES_MAX));
            }
            boolean holdsMore = isRequest
                    && value == JsonToken.START_OBJECT
                    && (limits.containsKey(name) || counts.containsKey(name));
            if (holdsMore) {
                members(in, name, false);
            } else {
                in.skipChildren();
            }
        }
    }

    /// What is no number from 1 to the largest that we know sets no limit.
    private static long number(JsonParser in, JsonToken value) {
        if (value != JsonToken.VALUE_NUMBER_INT && value != JsonToken.VALUE_NUMBER_FLOAT) {
            return UNSET;
        }
        double number = in.getDoubleValue();
        return number > 0 && number < Integer.MAX_VALUE ? (long) Math.ceil(number) : UNSET;
    }
}
