package dev.capsem.service.profiles;

import dev.capsem.events.budget.Budget;
import dev.capsem.events.budget.BudgetAmount;
import dev.capsem.profiles.io.SessionProfile;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import tools.jackson.databind.node.ObjectNode;

/// `budget.json` of a session directory: whose sums the session adds to, and the limit that it was made with. A
/// copy of a session has the same file, so that it adds to the sums of its root.
///
/// @param root unique over all sessions and time; names are used again
public record SessionBudgetFile(String root, Optional<Budget> own) {
    private static final String FILE = "budget.json";

    /// Made when first asked for. Throws [UncheckedIOException].
    public static synchronized SessionBudgetFile of(Path directory) {
        return Files.exists(directory.resolve(FILE)) ? read(directory) : write(directory, Optional.empty());
    }

    private static SessionBudgetFile read(Path directory) {
        try {
            JsonMembers json = JsonMembers.of(Json.parse(Files.readString(directory.resolve(FILE))), "");
            return new SessionBudgetFile(
                    json.text("root"),
                    json.optionalText("own").flatMap(BudgetAmount::parse).map(Budget::own));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Whose sums it adds to, if it ever did. Throws [UncheckedIOException].
    public static synchronized Optional<String> rootIn(Path directory) {
        return Files.exists(directory.resolve(FILE))
                ? Optional.of(read(directory).root())
                : Optional.empty();
    }

    /// Of a new session. One that is a copy keeps its root.
    ///
    /// @param own what it may spend, if its maker says so
    public static synchronized SessionBudgetFile write(Path directory, Optional<BudgetAmount> own) {
        String root = Files.exists(directory.resolve(FILE))
                ? read(directory).root()
                : UUID.randomUUID().toString();
        ObjectNode json = Json.object().put("root", root);
        own.ifPresent(limit -> json.put("own", limit.spelling()));
        SessionProfile.writeAs(directory.resolve(FILE), Json.text(json) + "\n");
        return new SessionBudgetFile(root, own.map(Budget::own));
    }

    /// What is copied adds to the same sums, under the same limit.
    public static synchronized void fork(Path from, Path to) {
        SessionBudgetFile source = of(from);
        ObjectNode json = Json.object().put("root", source.root());
        source.own().ifPresent(own -> json.put("own", own.limit().spelling()));
        SessionProfile.writeAs(to.resolve(FILE), Json.text(json) + "\n");
    }
}
