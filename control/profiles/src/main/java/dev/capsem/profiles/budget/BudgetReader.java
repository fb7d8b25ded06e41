package dev.capsem.profiles.budget;

import dev.capsem.events.budget.Budget;
import dev.capsem.events.budget.BudgetAmount;
import dev.capsem.events.budget.BudgetUnit;
import dev.capsem.events.budget.BudgetWindow;
import dev.capsem.events.vocabulary.WireNamed;
import dev.capsem.source.tree.Fields;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/// Reads one `[[budget]]` of a profile, or the same as JSON. Reports all problems at once.
public final class BudgetReader {
    private static final List<String> KEYS =
            List.of("name", "match", "limit", "window", "zone", "soft", "then", "unpriced");

    private static final String UNPRICED = "unpriced";

    /// As many as the compiler of conditions takes.
    private static final int MATCH_CHARS_MAX = 8_192;

    private final Fields table;
    private boolean valid = true;

    private BudgetReader(Fields table) {
        this.table = table;
    }

    /// Empty if something is wrong with it, which is then among the problems.
    public static Optional<Budget> read(Fields table) {
        return new BudgetReader(table).read();
    }

    private Optional<Budget> read() {
        int before = table.problems().list().size();
        table.refuseUnknown(KEYS);
        Optional<String> name = table.text("name").filter(Budget::isName);
        if (name.isEmpty()) {
            fault("name", "a budget has a name of " + Budget.NAME_FORM + ".");
        }
        Optional<String> match = table.text("match");
        if (match.filter(text -> text.isBlank() || text.length() > MATCH_CHARS_MAX)
                .isPresent()) {
            fault("match", "match is a condition; leave it out to count every call.");
        }
        Optional<BudgetAmount> limit = table.text("limit").flatMap(BudgetAmount::parse);
        if (limit.isEmpty()) {
            fault("limit", "limit is " + BudgetAmount.FORM + ".");
        }
        BudgetWindow window = word("window", BudgetWindow.class, BudgetWindow.SESSION);
        ZoneId zone = zone();
        OptionalLong soft = table.integer("soft", 1, 100);
        Budget.Then then = word("then", Budget.Then.class, Budget.Then.ASK);
        Budget.Unpriced unpriced = word(UNPRICED, Budget.Unpriced.class, Budget.Unpriced.BLOCK);
        if (table.has(UNPRICED)
                && limit.filter(amount -> amount.unit() != BudgetUnit.USD).isPresent()) {
            fault(UNPRICED, "unpriced is for budgets in usd: tokens and requests have no price.");
        }
        boolean isClean = table.problems().list().size() == before;
        return valid && isClean && name.isPresent() && limit.isPresent()
                ? Optional.of(new Budget(
                        name.get(),
                        match,
                        limit.get(),
                        window,
                        zone,
                        soft.isPresent() ? OptionalInt.of((int) soft.getAsLong()) : OptionalInt.empty(),
                        then,
                        unpriced))
                : Optional.empty();
    }

    private void fault(String key, String message) {
        table.error(key, message);
        valid = false;
    }

    private <E extends Enum<E> & WireNamed> E word(String key, Class<E> set, E otherwise) {
        Optional<String> text = table.text(key);
        Optional<E> known = text.flatMap(word -> WireNamed.parse(set, word));
        if (text.isPresent() && known.isEmpty()) {
            fault(key, key + " is " + Budget.words(set) + ".");
        }
        return known.orElse(otherwise);
    }

    private ZoneId zone() {
        String text = table.text("zone").orElse("UTC");
        try {
            return ZoneId.of(text);
        } catch (DateTimeException unknown) {
            fault("zone", "zone is the name of a time zone, such as \"Europe/Berlin\".");
            return ZoneId.of("UTC");
        }
    }
}
