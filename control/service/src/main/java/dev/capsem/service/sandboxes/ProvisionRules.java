package dev.capsem.service.sandboxes;

import dev.capsem.events.budget.BudgetAmount;
import dev.capsem.profiles.EffectiveProfile;
import dev.capsem.profiles.file.Setting;
import dev.capsem.service.limits.DiskQuota;
import dev.capsem.service.limits.ServiceSettings;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.service.profiles.Profiles;
import dev.capsem.wire.SandboxSpec;
import dev.capsem.wire.service.ProvisionRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/// Turns what a caller asked for into what a sandbox gets, or refuses it before anything exists.
final class ProvisionRules {
    /// The project's directory name becomes a mount point below `/root`.
    private static final Pattern PROJECT_NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._ +@-]{0,127}");

    private final ServiceSettings settings;
    private final Path home;

    ProvisionRules(ServiceSettings settings, Path home) {
        this.settings = settings;
        this.home = home;
    }

    /// The caller's value, else the profile's, else that of this service's settings.
    SandboxSpec.Limits limits(Optional<Integer> memoryMb, Optional<Integer> cpus, EffectiveProfile profile) {
        refuseLocked(memoryMb, profile.ramMb(), profile, Setting.RAM_MB);
        refuseLocked(cpus, profile.cpus(), profile, Setting.CPUS);
        try {
            return new SandboxSpec.Limits(
                    memoryMb.orElse(profile.ramMb().orElse(settings.memoryMbDefault())),
                    cpus.orElse(profile.cpus().orElse(settings.cpusDefault())),
                    SandboxSpec.Limits.PIDS_MAX_DEFAULT);
        } catch (IllegalArgumentException e) {
            throw new ServiceProblem(
                    ServiceProblem.Code.BAD_LIMIT, String.valueOf(e.getMessage()), "leave it out for the default", e);
        }
    }

    /// Also of a profile that is gone or broken meanwhile.
    DiskQuota quota(Profiles profiles, String profileId) {
        try {
            return new DiskQuota(
                    profiles.required(Optional.of(profileId)).profile().diskMb().orElse(settings.diskMbDefault()));
        } catch (ServiceProblem e) {
            return new DiskQuota(settings.diskMbDefault());
        }
    }

    private static void refuseLocked(
            Optional<Integer> wished, OptionalInt set, EffectiveProfile profile, Setting setting) {
        boolean differs = wished.isPresent() && set.isPresent() && wished.get() != set.getAsInt();
        if (differs && isLocked(profile, setting)) {
            throw new ServiceProblem(
                    ServiceProblem.Code.BAD_LIMIT,
                    setting + " is locked in the profile " + profile.id() + " at " + set.getAsInt(),
                    "leave it out");
        }
    }

    private static boolean isLocked(EffectiveProfile profile, Setting setting) {
        return profile.entry(setting.path())
                .map(owned -> owned.provenance().locked())
                .orElse(false);
    }

    /// The caller's value stands before the profile's, unless that is locked.
    Map<String, String> environment(Map<String, String> wished, EffectiveProfile profile) {
        Map<String, String> environment = new LinkedHashMap<>(profile.environment());
        wished.forEach((name, value) -> {
            if (!isLocked(profile, new Setting(Setting.ENVIRONMENT + name))) {
                environment.put(name, value);
            }
        });
        return EnvironmentRules.check(environment);
    }

    Optional<BudgetAmount> budget(Optional<String> wished) {
        return wished.map(text -> BudgetAmount.parse(text)
                .orElseThrow(() -> new ServiceProblem(
                        ServiceProblem.Code.BAD_BUDGET, "that is no budget", "a budget is " + BudgetAmount.FORM)));
    }

    Optional<SandboxSpec.Project> project(Optional<ProvisionRequest.ProjectMount> mount) {
        return mount.map(this::project);
    }

    private SandboxSpec.Project project(ProvisionRequest.ProjectMount mount) {
        Path source = realDirectory(mount.source());
        if (source.getNameCount() == 0 || home.startsWith(source) || source.startsWith(home)) {
            throw badProject(
                    "the project would show Capsem's own files to the guest", "choose a directory beside " + home);
        }
        String name = source.getFileName().toString();
        if (!PROJECT_NAME.matcher(name).matches()) {
            throw badProject(
                    "the project's name cannot be a mount point", "rename the directory or use a symlink-free copy");
        }
        return new SandboxSpec.Project(
                source,
                name,
                mount.rw() ? SandboxSpec.Project.Access.READ_WRITE : SandboxSpec.Project.Access.COPY_ON_WRITE);
    }

    private static Path realDirectory(String source) {
        try {
            Path path = Path.of(source);
            if (!path.isAbsolute() || !Files.isDirectory(path)) {
                throw badProject("the project is not a directory", "give the absolute path of a directory");
            }
            return path.toRealPath();
        } catch (InvalidPathException | IOException e) {
            throw badProject("the project cannot be read", "give the absolute path of a directory you may read");
        }
    }

    private static ServiceProblem badProject(String message, String remedy) {
        return new ServiceProblem(ServiceProblem.Code.BAD_PROJECT, message, remedy);
    }
}
