package dev.capsem.service.profiles;

import dev.capsem.profiles.CorpLayer;
import dev.capsem.profiles.DetectedEntries;
import dev.capsem.profiles.ProfileLibrary;
import dev.capsem.profiles.ProfileResolution;
import dev.capsem.profiles.io.ProfileException;
import dev.capsem.profiles.io.ProfileFolders;
import dev.capsem.profiles.io.ProfileSource;
import dev.capsem.profiles.io.SessionProfile;
import dev.capsem.profiles.vocabulary.ProfileId;
import dev.capsem.security.RuleCompiler;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.service.rulecheck.RuleChecker;
import dev.capsem.source.Layer;
import dev.capsem.source.Problem;
import dev.capsem.wire.service.StatusReply;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The profiles of this home. A profile is merged and checked once and then kept until a file changes, because
/// sandboxes are created far more often than profiles are written.
public final class Profiles {
    private static final Logger LOG = LoggerFactory.getLogger(Profiles.class);

    /// The name in requests and old registries that means "the one that is chosen".
    public static final String CHOSEN = "default";

    /// Below the run directory: what a spare process warms itself up with.
    public static final String WARM_UP_DIRECTORY = "effective";

    public static final String WARM_UP_FILE = "default.json";

    private final ProfileFolders folders;
    private final Path warmUp;
    private final RuleChecker checker;
    private final CompletableFuture<ProfileSource> opening;
    private final Map<ProfileId, InForce> lastGood = new ConcurrentHashMap<>();

    /// Everything worked out from one state of the files.
    private record Worked(ProfileLibrary library, Map<ProfileId, Judged> byId) {}

    private volatile Worked worked;

    /// The result of resolving a profile.
    public sealed interface Judged {
        record Usable(InForce inForce) implements Judged {}

        record Unusable(List<Problem> problems) implements Judged {
            public Unusable {
                problems = List.copyOf(problems);
            }
        }

        record Unknown(List<ProfileId> known) implements Judged {
            public Unknown {
                known = List.copyOf(known);
            }
        }
    }

    /// Returns at once; the files are read behind it, and whoever comes earlier waits.
    public Profiles(ProfileFolders folders, Path runDirectory, RuleChecker checker, Executor background) {
        this.folders = folders;
        this.warmUp = runDirectory.resolve(WARM_UP_DIRECTORY).resolve(WARM_UP_FILE);
        this.checker = checker;
        this.worked = new Worked(
                new ProfileLibrary(Map.of(), Map.of(), CorpLayer.NONE, DetectedEntries.NONE, ProfileId.DEFAULT),
                Map.of());
        this.opening = CompletableFuture.supplyAsync(() -> ProfileSource.open(folders), background);
    }

    private ProfileSource source() {
        try {
            return opening.join();
        } catch (CompletionException e) {
            throw new ServiceProblem(
                    ServiceProblem.Code.PROFILE_REFUSED,
                    "the profiles cannot be read: "
                            + Optional.ofNullable(e.getCause())
                                    .map(Throwable::getMessage)
                                    .orElse("unknown cause"),
                    "mend the files below " + folders.user() + " and restart the service",
                    e);
        }
    }

    public ProfileFolders folders() {
        return folders;
    }

    public ProfileLibrary library() {
        return source().library();
    }

    public ProfileId chosen() {
        return library().chosen();
    }

    /// Reads the files again. What is wrong with them is in the answer; what was good before stays.
    public ProfileSource.Reload reload() {
        return source().reload();
    }

    /// Follows the files until closed.
    public ProfileSource.Watch watch(Duration interval, Consumer<ProfileSource.Reload> listener) {
        return source().watch(interval, listener);
    }

    public Judged judge(ProfileId id) {
        ProfileLibrary library = library();
        Worked now = worked;
        if (!now.library.equals(library)) {
            now = new Worked(library, new ConcurrentHashMap<>());
            worked = now;
        }
        Judged judged = now.byId.computeIfAbsent(id, name -> workOut(library, name));
        return judged instanceof Judged.Usable(InForce inForce) ? new Judged.Usable(withUnread(inForce)) : judged;
    }

    /// A file that cannot be read any more leaves the library as it was, so that only its problems tell.
    private InForce withUnread(InForce inForce) {
        Set<Problem> all = new LinkedHashSet<>(inForce.problems());
        source().problems().stream()
                .filter(problem -> problem.isError()
                        && inForce.profile().isFrom(problem.place().file()))
                .forEach(all::add);
        return inForce.despite(List.copyOf(all));
    }

    /// Why a profile is not in force as its files say; nothing of one that is not there.
    ///
    /// @param wished as in [#required]
    public List<Problem> mistakes(Optional<String> wished) {
        return switch (judge(id(wished))) {
            case Judged.Usable(InForce inForce) -> inForce.problems();
            case Judged.Unusable(List<Problem> problems) -> problems;
            case Judged.Unknown _ -> List.of();
        };
    }

    /// The problems of the chosen profile and these others.
    public List<StatusReply.Problem> faults(Collection<String> inUse) {
        Set<Problem> all = new LinkedHashSet<>(mistakes(Optional.empty()));
        inUse.forEach(id -> all.addAll(mistakes(Optional.of(id))));
        return all.stream()
                .filter(Problem::isError)
                .map(problem -> new StatusReply.Problem(
                        "profile_mistake",
                        problem.toString(),
                        "edit the file; check it: `capsem profiles validate "
                                + problem.place().file() + "`"))
                .toList();
    }

    private Judged workOut(ProfileLibrary library, ProfileId id) {
        return switch (library.resolve(id)) {
            case ProfileResolution.Resolved resolved -> check(InForce.of(resolved.profile()));
            case ProfileResolution.Refused refused -> new Judged.Unusable(refused.problems());
            case ProfileResolution.Unknown unknown -> new Judged.Unknown(unknown.known());
        };
    }

    /// A rule that does not compile rejects its profile; the last good one stays in force.
    private Judged check(InForce fresh) {
        ProfileId id = fresh.profile().id();
        // Built-in rules are compiled by the tests of this repository, and found ones are made by us.
        boolean mayBeWrong = fresh.profile().rules().stream()
                .map(owned -> owned.provenance().layer())
                .anyMatch(layer -> layer == Layer.USER || layer == Layer.CORP);
        if (mayBeWrong
                && checker.compile(fresh.profile().ruleSources(), List.of())
                        instanceof RuleCompiler.Result.Rejected rejected) {
            List<Problem> problems = rejected.problems();
            InForce before = lastGood.get(id);
            return before == null ? new Judged.Unusable(problems) : new Judged.Usable(before.despite(problems));
        }
        List<Problem> budgets = checker.budgets(fresh.profile());
        if (!budgets.isEmpty()) {
            InForce before = lastGood.get(id);
            return before == null ? new Judged.Unusable(budgets) : new Judged.Usable(before.despite(budgets));
        }
        lastGood.put(id, fresh);
        return new Judged.Usable(fresh);
    }

    /// The profile that a request names, or else the chosen one. Refuses what nothing may run under.
    public InForce required(Optional<String> wished) {
        ProfileId id = id(wished);
        if (!library().ids().contains(id)) {
            // Its file may just have been saved; the watch looks about once a second.
            ProfileLibrary _ = source().fresh();
        }
        return switch (judge(id)) {
            case Judged.Usable usable -> usable.inForce();
            case Judged.Unusable unusable ->
                throw new ServiceProblem(
                        ServiceProblem.Code.PROFILE_REFUSED,
                        "the profile " + id + " cannot be used:\n" + text(unusable.problems()),
                        "mend it and try again, or use another: `capsem profiles list`");
            case Judged.Unknown unknown ->
                throw new ServiceProblem(
                        ServiceProblem.Code.PROFILE_NOT_FOUND,
                        "there is no profile " + id,
                        "use one of "
                                + unknown.known().stream().map(ProfileId::value).collect(Collectors.joining(", ")));
        };
    }

    private ProfileId id(Optional<String> wished) {
        String text = wished.orElse(CHOSEN);
        if (!ProfileId.isValid(text)) {
            throw new ServiceProblem(
                    ServiceProblem.Code.BAD_PROFILE,
                    "not a profile id: an id has " + ProfileId.FORM,
                    "leave it out for the chosen profile, or see `capsem profiles list`");
        }
        ProfileId id = new ProfileId(text);
        boolean meansChosen = text.equals(CHOSEN) && !library().ids().contains(id);
        return meansChosen ? chosen() : id;
    }

    public static String text(List<Problem> problems) {
        return problems.stream().map(Problem::toString).collect(Collectors.joining("\n"));
    }

    /// Keeps the copy of the chosen profile from which a spare process warms up. Nothing depends on it.
    public void refreshWarmUp() {
        try {
            if (judge(chosen()) instanceof Judged.Usable usable) {
                SessionProfile.writeAs(warmUp, usable.inForce().json());
            }
        } catch (ProfileException | ServiceProblem e) {
            LOG.warn("{} was not written: {}", warmUp, e.getMessage());
        }
    }
}
