package dev.capsem.service.approvals;

import dev.capsem.events.security.RuleId;
import dev.capsem.profiles.EffectiveProfile;
import dev.capsem.profiles.OwnedEntry;
import dev.capsem.profiles.io.ProfileException;
import dev.capsem.profiles.io.UserProfiles;
import dev.capsem.profiles.vocabulary.Section;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.service.profiles.Profiles;
import dev.capsem.service.registry.SandboxFacts;
import dev.capsem.source.Layer;
import dev.capsem.wire.ipc.ProcessMessage;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Remembers an answer of "always": the rule that was suggested becomes one of the person's own.
final class AlwaysRule {
    private static final Pattern RULE = Pattern.compile("\\[(security\\.rules\\.[^]]+)]\\R(.*)", Pattern.DOTALL);

    private final Profiles profiles;
    private final UserProfiles users;

    AlwaysRule(Profiles profiles, UserProfiles users) {
        this.profiles = profiles;
        this.users = users;
    }

    /// Where it was written.
    record Written(RuleId id, Path file) {}

    /// Whether a person could answer so at all.
    boolean isPossible(String profileId, PendingQuestion pending) {
        return pending.question().suggestion().isPresent()
                && obstacle(profileId, pending.question().rule()).isEmpty();
    }

    /// Why no rule of a person's can stand before the one that asks; empty if one can.
    private Optional<String> obstacle(String profileId, String askingRule) {
        EffectiveProfile profile;
        try {
            profile = profiles.required(Optional.of(profileId)).profile();
        } catch (ServiceProblem e) {
            return Optional.of("its profile cannot be used now");
        }
        if (!profile.isEditable(Section.SECURITY_RULES)) {
            return Optional.of("rules are locked in the profile " + profile.id());
        }
        boolean isCorp = profile.entry(askingRule)
                .map(OwnedEntry::provenance)
                .filter(provenance -> provenance.layer() == Layer.CORP)
                .isPresent();
        return isCorp ? Optional.of("the rule is your company's, and no rule of yours outranks it") : Optional.empty();
    }

    /// Refuses with NOT_EDITABLE where it cannot be.
    ///
    /// @param prepared the rule, as its process tried it
    Written write(SandboxFacts facts, PendingQuestion pending, ProcessMessage.Prepared prepared) {
        obstacle(facts.profileId(), pending.question().rule()).ifPresent(why -> {
            throw impossible(why);
        });
        String tried = prepared.rule()
                .orElseThrow(() -> impossible(prepared.obstacle().orElse("no rule would allow just this")));
        Matcher rule = RULE.matcher(tried);
        if (!rule.matches()) {
            throw impossible("the suggested rule does not read");
        }
        RuleId id = new RuleId(rule.group(1));
        EffectiveProfile profile =
                profiles.required(Optional.of(facts.profileId())).profile();
        try {
            return switch (users.add(profile.id(), id, rule.group(2))) {
                case UserProfiles.Edit.Written written -> new Written(id, written.file());
                case UserProfiles.Edit.Refused refused -> throw impossible(Profiles.text(refused.problems()));
            };
        } catch (ProfileException e) {
            throw new ServiceProblem(
                    ServiceProblem.Code.OPERATION_FAILED, String.valueOf(e.getMessage()), "is the disk full?", e);
        }
    }

    private static ServiceProblem impossible(String why) {
        return new ServiceProblem(
                ServiceProblem.Code.NOT_EDITABLE,
                "this cannot be allowed for always: " + why,
                "approve it once or for the session");
    }
}
