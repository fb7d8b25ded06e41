package dev.capsem.llm.price;

import dev.capsem.llm.price.PriceList.Entry;
import dev.capsem.llm.price.PriceList.Validity;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Prices by provider and model.
public final class PriceTable {
    /// No provider has a longer name for a model; patterns see no more than this.
    static final int MODEL_CHARACTERS_MAX = 128;

    /// Finer than the cost of any token; what lies below comes from adding binary fractions.
    private static final double ROUNDING = 1e12;

    private static final String RESOURCE = "genai-prices.json";

    /// A date inside a model's name, as `-20250929`: the table may have it as `-2025-09-29`.
    private static final Pattern COMPACT_DATE =
            Pattern.compile("-(20\\d{2})(0[1-9]|1[0-2])(0[1-9]|[12]\\d|3[01])(?=-|:|$)");

    private final Map<String, Provider> providers;

    /// @param fallbacks providers whose models this one serves as well
    private record Provider(List<PriceList> models, List<String> fallbacks) {}

    private PriceTable(Map<String, Provider> providers) {
        this.providers = providers;
    }

    /// The table that was built in, read when first asked for.
    public static PriceTable embedded() {
        return Embedded.TABLE;
    }

    private static final class Embedded {
        private static final PriceTable TABLE = read();

        private static PriceTable read() {
            try (InputStream in = PriceTable.class.getResourceAsStream(RESOURCE)) {
                if (in == null) {
                    throw new IllegalStateException("the program was built without " + RESOURCE);
                }
                return parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
            } catch (IOException unreadable) {
                throw new IllegalStateException(
                        RESOURCE + " cannot be read from the program's own archive", unreadable);
            }
        }
    }

    /// Requires: a table of the form of `config/genai-prices.json`.
    public static PriceTable parse(String json) {
        Map<String, Provider> providers = new HashMap<>();
        for (JsonNode provider : new JsonMapper().readTree(json)) {
            List<PriceList> models = new ArrayList<>();
            for (JsonNode model : provider.path("models")) {
                models.add(new PriceList(
                        model.path("id").asString(),
                        match(model.path("match")),
                        window(model.path("context_window")),
                        entries(model.path("prices"))));
            }
            List<String> fallbacks = new ArrayList<>();
            provider.path("fallback_model_providers").forEach(name -> fallbacks.add(name.asString()));
            providers.put(provider.path("id").asString(), new Provider(models, fallbacks));
        }
        return new PriceTable(Map.copyOf(providers));
    }

    /// US dollars, or empty for a provider or model the table does not have.
    ///
    /// @param provider as the table names it
    /// @param at prices change
    public OptionalDouble cost(String provider, String model, TokenCounts tokens, Instant at) {
        Optional<PriceList> found = find(provider, model);
        if (found.isEmpty()) {
            return OptionalDouble.empty();
        }
        double cost = found.get().at(at).cost(tokens);
        return OptionalDouble.of(Math.round(cost * ROUNDING) / ROUNDING);
    }

    /// How many tokens the model takes in, if the table says so.
    public OptionalLong contextWindow(String provider, String model) {
        return find(provider, model).map(PriceList::contextWindow).orElse(OptionalLong.empty());
    }

    /// The table's own name of the model.
    Optional<String> idOf(String provider, String model) {
        return find(provider, model).map(PriceList::id);
    }

    private Optional<PriceList> find(String provider, String model) {
        String name = model.strip().toLowerCase(Locale.ROOT);
        Provider found = providers.get(provider);
        if (found == null || name.isEmpty() || name.length() > MODEL_CHARACTERS_MAX) {
            return Optional.empty();
        }
        return find(found, name).or(() -> find(found, COMPACT_DATE.matcher(name).replaceAll("-$1-$2-$3")));
    }

    private Optional<PriceList> find(Provider provider, String model) {
        Optional<PriceList> own = first(provider.models(), model);
        if (own.isPresent()) {
            return own;
        }
        return provider.fallbacks().stream()
                .flatMap(id -> Optional.ofNullable(providers.get(id)).stream())
                .flatMap(other -> first(other.models(), model).stream())
                .findFirst();
    }

    private static Optional<PriceList> first(List<PriceList> models, String model) {
        return models.stream().filter(list -> list.match().matches(model)).findFirst();
    }

    // ── reading

    private static OptionalLong window(JsonNode node) {
        return node.isIntegralNumber() && node.asLong() > 0 ? OptionalLong.of(node.asLong()) : OptionalLong.empty();
    }

    private static ModelMatch match(JsonNode node) {
        for (Map.Entry<String, JsonNode> member : node.properties()) {
            JsonNode value = member.getValue();
            return switch (member.getKey()) {
                case "equals" -> new ModelMatch.Equal(value.asString());
                case "starts_with" -> new ModelMatch.StartsWith(value.asString());
                case "ends_with" -> new ModelMatch.EndsWith(value.asString());
                case "contains" -> new ModelMatch.Contains(value.asString());
                case "regex" -> new ModelMatch.Regex(Pattern.compile(value.asString()));
                case "or" -> new ModelMatch.AnyOf(matches(value));
                case "and" -> new ModelMatch.AllOf(matches(value));
                default -> new ModelMatch.Never();
            };
        }
        return new ModelMatch.Never();
    }

    private static List<ModelMatch> matches(JsonNode list) {
        List<ModelMatch> all = new ArrayList<>();
        list.forEach(node -> all.add(match(node)));
        return all;
    }

    private static List<Entry> entries(JsonNode prices) {
        if (!prices.isArray()) {
            return List.of(new Entry(new Validity.Always(), prices(prices)));
        }
        List<Entry> entries = new ArrayList<>();
        prices.forEach(node -> entries.add(new Entry(validity(node.path("constraint")), prices(node.path("prices")))));
        return entries;
    }

    private static Validity validity(JsonNode constraint) {
        if (constraint.has("start_date")) {
            return new Validity.From(
                    LocalDate.parse(constraint.path("start_date").asString())
                            .atStartOfDay(ZoneOffset.UTC)
                            .toInstant());
        }
        if (constraint.has("start_time")) {
            return new Validity.Daily(
                    OffsetTime.parse(constraint.path("start_time").asString()),
                    OffsetTime.parse(constraint.path("end_time").asString()));
        }
        return new Validity.Always();
    }

    private static Map<String, Price> prices(JsonNode node) {
        Map<String, Price> prices = new HashMap<>();
        for (Map.Entry<String, JsonNode> member : node.properties()) {
            JsonNode value = member.getValue();
            if (value.isNumber()) {
                prices.put(member.getKey(), new Price(value.asDouble(), List.of()));
            } else if (value.isObject()) {
                List<Price.Tier> tiers = new ArrayList<>();
                value.path("tiers")
                        .forEach(tier -> tiers.add(new Price.Tier(
                                tier.path("start").asLong(), tier.path("price").asDouble())));
                prices.put(member.getKey(), new Price(value.path("base").asDouble(), tiers));
            }
        }
        return prices;
    }
}
