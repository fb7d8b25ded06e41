package dev.capsem.telemetry.budget;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.telemetry.budget.BudgetDatabase.AccountRow;
import dev.capsem.telemetry.budget.BudgetDatabase.HeldRow;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BudgetDatabaseTest {
    private static final AccountRow GONE = new AccountRow("user:mine/own/usd/session/gone", 0, 7, 0, 0, "NONE");
    private static final AccountRow HERE = new AccountRow("user:mine/own/usd/session/here", 0, 8, 1, 2, "SOFT");
    private static final HeldRow HELD = new HeldRow("call", HERE.key(), 0, 3, 0);

    @TempDir
    Path directory;

    @Test
    void whatIsForgottenIsGoneAfterARestartAndNothingElse() {
        Path file = directory.resolve("budgets.db");
        try (BudgetDatabase database = BudgetDatabase.open(file)) {
            database.write(List.of(GONE, HERE), List.of(HELD), List.of(), List.of());
            database.write(List.of(), List.of(), List.of(), List.of(GONE.key()));
        }

        try (BudgetDatabase again = BudgetDatabase.open(file)) {
            assertThat(again.read().accounts()).containsExactly(HERE);
            assertThat(again.read().held()).containsExactly(HELD);
        }
    }
}
