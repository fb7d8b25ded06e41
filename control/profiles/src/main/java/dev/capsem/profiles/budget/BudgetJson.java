package dev.capsem.profiles.budget;

import dev.capsem.events.budget.Budget;
import dev.capsem.events.budget.BudgetUnit;
import dev.capsem.source.json.JsonValue;
import org.tomlj.Toml;

/// A budget with the keys of a profile; [BudgetReader] reads it.
public final class BudgetJson {
    private BudgetJson() {}

    public static JsonValue.Members write(Budget budget) {
        JsonValue.Builder json = JsonValue.members().put("name", budget.name());
        budget.match().ifPresent(match -> json.put("match", match));
        json.put("limit", budget.limit().spelling())
                .put("window", budget.window().wireName())
                .put("zone", budget.zone().getId());
        budget.softPercent().ifPresent(percent -> json.put("soft", percent));
        json.put("then", budget.then().wireName());
        if (budget.limit().unit() == BudgetUnit.USD) {
            json.put("unpriced", budget.unpriced().wireName());
        }
        return json.build();
    }

    /// The lines of a profile.
    public static String toml(Budget budget) {
        StringBuilder toml = new StringBuilder("[[budget]]\n");
        write(budget)
                .map()
                .forEach((key, value) ->
                        toml.append(key).append(" = ").append(value(value)).append('\n'));
        return toml.toString();
    }

    private static String value(JsonValue value) {
        return value instanceof JsonValue.Text text
                ? "\"" + Toml.tomlEscape(text.value()) + "\""
                : ((JsonValue.Numeral) value).spelling();
    }
}
