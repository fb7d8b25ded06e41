package dev.capsem.service.profiles;

import dev.capsem.profiles.EffectiveProfile;
import dev.capsem.profiles.io.ProfileException;
import dev.capsem.profiles.io.SessionProfile;
import dev.capsem.service.overlay.RuntimeRules;
import dev.capsem.service.problem.ServiceProblem;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// Writes what a session's process reads its rules from: the effective profile, and beside it the runtime overlay.
public final class SessionPolicy {
    private final Profiles profiles;
    private final RuntimeRules overlay;

    /// What each session directory holds now, as far as this service wrote it.
    private final Map<Path, String> installed = new ConcurrentHashMap<>();

    public SessionPolicy(Profiles profiles, RuntimeRules overlay) {
        this.profiles = profiles;
        this.overlay = overlay;
    }

    public Profiles profiles() {
        return profiles;
    }

    public RuntimeRules overlay() {
        return overlay;
    }

    /// Throws [ServiceProblem] when nothing may run under that profile; then the directory is as it was.
    public InForce install(Path sessionDirectory, String profileId) {
        InForce inForce = with(SessionBudgetFile.of(sessionDirectory), profiles.required(Optional.of(profileId)));
        long generation = overlay.generation();
        try {
            SessionProfile.write(sessionDirectory, inForce.json());
            overlay.install(sessionDirectory);
        } catch (ProfileException e) {
            throw new ServiceProblem(
                    ServiceProblem.Code.OPERATION_FAILED, String.valueOf(e.getMessage()), "is the disk full?", e);
        }
        installed.put(sessionDirectory, stamp(profiles.required(Optional.of(profileId)), generation));
        return inForce;
    }

    /// A session may have a limit of its own.
    private static InForce with(SessionBudgetFile file, InForce inForce) {
        return file.own()
                .map(own -> InForce.of(inForce.profile().withOwn(own)).despite(inForce.problems()))
                .orElse(inForce);
    }

    /// What the session runs under, or would after its next reload.
    public EffectiveProfile effective(Path sessionDirectory, String profileId) {
        EffectiveProfile profile = profiles.required(Optional.of(profileId)).profile();
        return SessionBudgetFile.of(sessionDirectory)
                .own()
                .map(profile::withOwn)
                .orElse(profile);
    }

    /// Whether the directory holds what it would get now.
    public boolean isCurrent(Path sessionDirectory, String profileId) {
        InForce inForce = profiles.required(Optional.of(profileId));
        return stamp(inForce, overlay.generation()).equals(installed.get(sessionDirectory));
    }

    public void forget(Path sessionDirectory) {
        installed.remove(sessionDirectory);
    }

    private static String stamp(InForce inForce, long generation) {
        return inForce.profile().id() + " " + inForce.revision() + " " + generation;
    }
}
