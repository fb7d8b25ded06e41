package dev.capsem.llm.price;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/// Which models an entry of the table is about. Texts compare without regard to case.
sealed interface ModelMatch {
    /// @param model in lower case
    boolean matches(String model);

    record Equal(String text) implements ModelMatch {
        public Equal {
            text = text.toLowerCase(Locale.ROOT);
        }

        @Override
        public boolean matches(String model) {
            return model.equals(text);
        }
    }

    record StartsWith(String text) implements ModelMatch {
        public StartsWith {
            text = text.toLowerCase(Locale.ROOT);
        }

        @Override
        public boolean matches(String model) {
            return model.startsWith(text);
        }
    }

    record EndsWith(String text) implements ModelMatch {
        public EndsWith {
            text = text.toLowerCase(Locale.ROOT);
        }

        @Override
        public boolean matches(String model) {
            return model.endsWith(text);
        }
    }

    record Contains(String text) implements ModelMatch {
        public Contains {
            text = text.toLowerCase(Locale.ROOT);
        }

        @Override
        public boolean matches(String model) {
            return model.contains(text);
        }
    }

    record AnyOf(List<ModelMatch> of) implements ModelMatch {
        public AnyOf {
            of = List.copyOf(of);
        }

        @Override
        public boolean matches(String model) {
            return of.stream().anyMatch(match -> match.matches(model));
        }
    }

    record AllOf(List<ModelMatch> of) implements ModelMatch {
        public AllOf {
            of = List.copyOf(of);
        }

        @Override
        public boolean matches(String model) {
            return of.stream().allMatch(match -> match.matches(model));
        }
    }

    /// The patterns are the table's, which is built in; the text is the guest's, and bounded by the table's limit on
    /// names. Some look ahead, which linear-time engines cannot.
    record Regex(Pattern pattern) implements ModelMatch {
        @Override
        public boolean matches(String model) {
            return pattern.matcher(model).find();
        }
    }

    /// A kind this version does not know.
    record Never() implements ModelMatch {
        @Override
        public boolean matches(String model) {
            return false;
        }
    }
}
