package dev.capsem.profiles;

import dev.capsem.profiles.file.Profile;
import dev.capsem.source.Problem;
import java.util.List;

/// The company's payloads, verified.
///
/// @param problems an error here means that a payload is not in force, and then no profile is
public record CorpLayer(List<Profile> payloads, List<Problem> problems) {
    public static final CorpLayer NONE = new CorpLayer(List.of(), List.of());

    public CorpLayer {
        payloads = List.copyOf(payloads);
        problems = List.copyOf(problems);
    }

    public boolean isBroken() {
        return problems.stream().anyMatch(Problem::isError);
    }
}
