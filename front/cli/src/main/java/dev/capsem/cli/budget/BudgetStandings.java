package dev.capsem.cli.budget;

import dev.capsem.client.SandboxService;
import dev.capsem.client.io.RequestTarget;
import dev.capsem.client.io.ServiceCallException;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/// What is left of budgets, for commands that show something else first. A budget that cannot be read keeps nobody from
/// the rest: it is said instead.
///
/// @param json as the service has them
/// @param problem why there are none
public record BudgetStandings(List<JsonMembers> rows, JsonNode json, Optional<String> problem) {
    public static final BudgetStandings NONE = new BudgetStandings(List.of(), Json.array(), Optional.empty());

    public BudgetStandings {
        rows = List.copyOf(rows);
    }

    /// @param sandbox whose; if empty, of all that run, and of the profile in use
    public static BudgetStandings ask(SandboxService service, Optional<String> sandbox) {
        try {
            JsonNode reply = service.get(
                    new RequestTarget("budgets").with("sandbox", sandbox).toString());
            return new BudgetStandings(
                    JsonMembers.of(reply, "").objects("budgets"), reply.path("budgets"), Optional.empty());
        } catch (ServiceCallException e) {
            return new BudgetStandings(List.of(), Json.array(), Optional.of(String.valueOf(e.getMessage())));
        }
    }

    /// One for each budget.
    public List<String> lines() {
        return problem.map(why -> List.of("budgets cannot be read: " + why))
                .orElseGet(() -> rows.stream().map(BudgetStandings::line).toList());
    }

    private static String line(JsonMembers row) {
        return "budget " + name(row) + ": " + row.text("spent_text") + " of " + row.text("limit_text") + " spent, "
                + row.text("left_text") + " left, per " + row.text("window");
    }

    private static String name(JsonMembers row) {
        return row.text("name")
                + row.optionalText("sandbox").map(id -> " of " + id).orElse("");
    }

    /// How many there are, and which have nothing left; empty if there are none.
    public Optional<String> summary() {
        if (rows.isEmpty()) {
            return problem.map(why -> "cannot be read: " + why);
        }
        List<String> spent = rows.stream()
                .filter(row -> row.number("left") == 0)
                .map(BudgetStandings::name)
                .toList();
        return Optional.of(rows.size() + (spent.isEmpty() ? "" : ", nothing left of " + String.join(", ", spent)));
    }
}
