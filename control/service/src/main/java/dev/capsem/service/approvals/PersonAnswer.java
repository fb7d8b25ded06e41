package dev.capsem.service.approvals;

import dev.capsem.events.security.Answer.Scope;
import dev.capsem.events.vocabulary.WireNamed;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.wire.json.JsonMembers;
import java.util.Optional;

/// A person's answer.
///
/// @param by who they say they are; the service's user if they do not say
record PersonAnswer(boolean approved, Scope scope, Optional<String> by) {
    private static final int BY_CHARS_MAX = 128;

    static PersonAnswer fromJson(JsonMembers json) {
        String decision = json.text("decision");
        if (!decision.equals("approve") && !decision.equals("deny")) {
            throw json.expected("decision", "approve or deny");
        }
        Scope scope = WireNamed.parse(Scope.class, json.optionalText("scope").orElse("once"))
                .orElseThrow(() -> json.expected("scope", "once, session or always"));
        Optional<String> by = json.optionalText("by");
        by.filter(name -> name.isBlank() || name.length() > BY_CHARS_MAX || !isPlain(name))
                .ifPresent(_ -> {
                    throw new ServiceProblem(
                            ServiceProblem.Code.WRONG_SHAPE,
                            "by is a name of at most " + BY_CHARS_MAX + " visible characters",
                            "leave it out to answer as the service's user");
                });
        return new PersonAnswer(decision.equals("approve"), scope, by);
    }

    private static boolean isPlain(String text) {
        return text.chars().noneMatch(Character::isISOControl);
    }
}
