package dev.capsem.service.budgets;

import dev.capsem.events.budget.Budget;
import dev.capsem.events.budget.BudgetAmount;
import dev.capsem.profiles.EffectiveJson;
import dev.capsem.profiles.EffectiveProfile;
import dev.capsem.profiles.budget.BudgetJson;
import dev.capsem.profiles.budget.BudgetReader;
import dev.capsem.profiles.file.Entry.BudgetEntry;
import dev.capsem.profiles.io.ProfileException;
import dev.capsem.profiles.io.UserProfiles;
import dev.capsem.profiles.vocabulary.Section;
import dev.capsem.service.budgets.BudgetLedger.Standing;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.service.profiles.ProfileJson;
import dev.capsem.service.profiles.Profiles;
import dev.capsem.service.reload.Propagation;
import dev.capsem.service.reload.Reloads;
import dev.capsem.service.sandboxes.Sandboxes;
import dev.capsem.service.table.Sandbox;
import dev.capsem.source.Layer;
import dev.capsem.source.Place;
import dev.capsem.source.Problem;
import dev.capsem.source.Problems;
import dev.capsem.source.json.JsonReader;
import dev.capsem.source.json.JsonReading;
import dev.capsem.source.json.JsonValue;
import dev.capsem.source.tree.Fields;
import dev.capsem.wire.json.Json;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Budgets as people see and change them.
public final class BudgetOffice {
    private final BudgetBook book;
    private final Profiles profiles;
    private final UserProfiles users;
    private final Reloads reloads;
    private final Sandboxes sandboxes;

    public BudgetOffice(BudgetBook book, Profiles profiles, Reloads reloads, Sandboxes sandboxes) {
        this.book = book;
        this.profiles = profiles;
        this.users = new UserProfiles(profiles.folders());
        this.reloads = reloads;
        this.sandboxes = sandboxes;
    }

    /// @param sandboxId whose budgets; if empty, those of all that run, and of the profile in use
    public ObjectNode list(Optional<String> sandboxId) {
        ObjectNode json = Json.object();
        ArrayNode rows = json.putArray("budgets");
        Set<String> seen = new HashSet<>();
        if (sandboxId.isPresent()) {
            Sandbox sandbox = sandboxes.find(sandboxId.get());
            book.of(sandbox).values().forEach(one -> rows.add(row(one, Optional.of(sandbox))));
            return json;
        }
        book.shared(profiles.required(Optional.empty()).profile()).values().stream()
                .filter(one -> seen.add(one.account()))
                .forEach(one -> rows.add(row(one, Optional.empty())));
        for (Sandbox sandbox : sandboxes.all()) {
            if (sandbox.status().isLive()) {
                book.of(sandbox).values().stream()
                        .filter(one -> seen.add(one.account()))
                        .forEach(one -> rows.add(row(
                                one, one.budget().window().isPerSandbox() ? Optional.of(sandbox) : Optional.empty())));
            }
        }
        return json;
    }

    private ObjectNode row(SessionBudget one, Optional<Sandbox> sandbox) {
        Standing standing = book.standing(one);
        Budget budget = one.budget();
        ObjectNode json = ProfileJson.object(BudgetJson.write(budget));
        sandbox.filter(_ -> budget.window().isPerSandbox())
                .ifPresent(of -> json.put("sandbox", of.id().value()));
        json.put("unit", budget.limit().unit().wireName())
                .put("limit_now", standing.limit())
                .put("spent", standing.spent())
                .put("held", standing.held())
                .put("left", standing.left())
                .put("unpriced_tokens", standing.unpricedTokens())
                .put("spent_text", shown(budget, standing.spent()))
                .put("limit_text", shown(budget, standing.limit()))
                .put("left_text", shown(budget, standing.left()));
        standing.resets().ifPresent(at -> json.put("resets_at", at.toString()));
        json.set("provenance", ProfileJson.object(EffectiveJson.provenance(one.provenance())));
        return json;
    }

    private static String shown(Budget budget, long value) {
        return new BudgetAmount(budget.limit().unit(), Math.clamp(value, 0, BudgetAmount.VALUE_MAX)).shown();
    }

    /// Adds a budget to a profile of the person, in place of one of that name. In force when it answers.
    ///
    /// @param budget JSON with the keys of a profile
    public ObjectNode put(Optional<String> profileId, String budget) {
        EffectiveProfile profile = profiles.required(profileId).profile();
        Budget read = read(budget);
        requireOpen(profile, read.name());
        edit(profile, read);
        Propagation told = reloads.all();
        EffectiveProfile now =
                profiles.required(Optional.of(profile.id().value())).profile();
        if (!now.budgets().contains(read)) {
            throw new ServiceProblem(
                    ServiceProblem.Code.BAD_BUDGET,
                    "the budget was written but is not in force: "
                            + Profiles.text(
                                    profiles.mistakes(Optional.of(now.id().value()))),
                    "correct it: `capsem profiles validate`");
        }
        ObjectNode json = Json.object().put("profile_id", now.id().value()).put("sandboxes", told.targets());
        json.set("budget", ProfileJson.object(BudgetJson.write(read)));
        return json;
    }

    private static Budget read(String json) {
        Problems problems = new Problems();
        Optional<Budget> budget = JsonReader.read(json) instanceof JsonReading.Parsed parsed
                        && parsed.document().root() instanceof JsonValue.Members members
                ? BudgetReader.read(new Fields(members, "", _ -> Place.start("budget"), problems))
                : Optional.empty();
        return budget.orElseThrow(() -> new ServiceProblem(
                ServiceProblem.Code.BAD_BUDGET,
                problems.list().stream()
                        .map(Problem::message)
                        .findFirst()
                        .orElse("a budget is a JSON object with the keys of a profile"),
                "docs/limit-spending.md shows budgets"));
    }

    private static void requireOpen(EffectiveProfile profile, String name) {
        boolean isLocked = profile.entry(BudgetEntry.PATH + name)
                .filter(owned ->
                        owned.provenance().locked() || owned.provenance().layer() == Layer.CORP)
                .isPresent();
        if (isLocked || !profile.isEditable(Section.BUDGETS)) {
            throw new ServiceProblem(
                    ServiceProblem.Code.NOT_EDITABLE,
                    isLocked ? "your company has a budget " + name : "your company has closed budgets",
                    "see whose it is: `capsem profiles show --effective`");
        }
    }

    private void edit(EffectiveProfile profile, Budget budget) {
        try {
            if (users.put(profile.id(), budget) instanceof UserProfiles.Edit.Refused refused) {
                throw new ServiceProblem(
                        ServiceProblem.Code.BAD_BUDGET,
                        Profiles.text(refused.problems()),
                        "edit the file, then reload");
            }
        } catch (ProfileException e) {
            throw new ServiceProblem(
                    ServiceProblem.Code.OPERATION_FAILED,
                    String.valueOf(e.getMessage()),
                    "see the message; is the disk full?",
                    e);
        }
    }

    /// More may be spent in the window that runs. What the company limits, only the company raises.
    ///
    /// @param by as people write it
    public ObjectNode raise(String name, String by, Optional<String> sandboxId) {
        Optional<Sandbox> sandbox = sandboxId.map(sandboxes::find);
        SessionBudget budget = changeable(name, sandbox);
        BudgetAmount amount = BudgetAmount.parse(by)
                .filter(given -> given.unit() == budget.budget().limit().unit())
                .orElseThrow(() -> new ServiceProblem(
                        ServiceProblem.Code.BAD_BUDGET,
                        "the budget " + name + " is raised by an amount of "
                                + budget.budget().limit().unit().wireName(),
                        "write it like " + budget.budget().limit().spelling()));
        book.raise(budget, amount);
        return row(budget, sandbox);
    }

    /// The window that runs begins anew.
    public ObjectNode reset(String name, Optional<String> sandboxId) {
        Optional<Sandbox> sandbox = sandboxId.map(sandboxes::find);
        SessionBudget budget = changeable(name, sandbox);
        book.reset(budget);
        return row(budget, sandbox);
    }

    private SessionBudget changeable(String name, Optional<Sandbox> sandbox) {
        Map<String, SessionBudget> known = sandbox.map(book::of)
                .orElseGet(() -> book.shared(profiles.required(Optional.empty()).profile()));
        SessionBudget budget = Optional.ofNullable(known.get(name))
                .orElseThrow(() -> new ServiceProblem(
                        ServiceProblem.Code.BUDGET_NOT_FOUND,
                        "there is no budget " + name
                                + sandbox.map(of -> " of the sandbox " + of.id())
                                        .orElse(" that all sandboxes share"),
                        "see which: `capsem budget list`; name the sandbox with --sandbox where each has its own"));
        if (budget.provenance().locked() || budget.provenance().layer() == Layer.CORP) {
            throw new ServiceProblem(
                    ServiceProblem.Code.NOT_EDITABLE,
                    "the budget " + name + " is your company's",
                    "ask whoever runs Capsem in your company to raise it");
        }
        return budget;
    }
}
