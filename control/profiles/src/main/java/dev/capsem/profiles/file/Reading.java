package dev.capsem.profiles.file;

import dev.capsem.source.Problem;
import java.util.List;

/// The result of reading a profile file.
public sealed interface Reading {
    List<Problem> problems();

    /// @param problems warnings only
    record Valid(Profile profile, List<Problem> problems) implements Reading {
        public Valid {
            problems = List.copyOf(problems);
        }
    }

    /// @param problems all of them, in the order of the file's sections
    record Invalid(List<Problem> problems) implements Reading {
        public Invalid {
            problems = List.copyOf(problems);
        }
    }
}
