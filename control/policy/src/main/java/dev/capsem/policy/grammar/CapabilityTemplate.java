package dev.capsem.policy.grammar;

import dev.capsem.policy.diagnostic.Code;
import dev.capsem.policy.diagnostic.CompilationError;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A capability string cut into its parts, in which `${name}` may still stand for a parameter.
///
/// Values are put in after cutting, so no value can add a part, an action or a refinement.
record CapabilityTemplate(List<String> parts, String refinements) {
    /// Longer than any path or host name a kernel or resolver accepts.
    static final int LENGTH_MAX = 8 * 1024;

    private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{([^}]*)}");

    CapabilityTemplate {
        parts = List.copyOf(parts);
    }

    static CapabilityTemplate cut(String raw) {
        checkCharacters(raw);
        int mark = raw.indexOf('?');
        String body = mark < 0 ? raw : raw.substring(0, mark);
        List<String> parts = new ArrayList<>();
        StringBuilder part = new StringBuilder();
        boolean quoted = false;
        for (int i = 0; i < body.length(); i++) {
            char c = body.charAt(i);
            if (c == '"') {
                quoted = !quoted;
            } else if (c == ':' && !quoted) {
                parts.add(part.toString());
                part.setLength(0);
            } else {
                part.append(c);
            }
        }
        if (quoted) {
            throw new CompilationError(
                    Code.CAP_QUOTE, "a double quote is not closed; close it, and keep '?' out of quoted text");
        }
        parts.add(part.toString());
        if (parts.size() < 2) {
            throw new CompilationError(Code.CAP_MALFORMED, "'" + raw + "' is not of the form kind:actions:scope");
        }
        return new CapabilityTemplate(parts, mark < 0 ? "" : raw.substring(mark + 1));
    }

    /// The parameters named anywhere, each once, in order.
    Set<String> placeholders() {
        Set<String> names = new LinkedHashSet<>();
        for (String part : parts) {
            Matcher matcher = PLACEHOLDER.matcher(part);
            while (matcher.find()) {
                names.add(matcher.group(1));
            }
        }
        return names;
    }

    /// Requires: a value for every placeholder. Kind and actions are never parameters.
    CapabilityTemplate fill(Map<String, String> values) {
        List<String> filled = new ArrayList<>(parts.size());
        for (int i = 0; i < parts.size(); i++) {
            boolean isScope = i >= 2 || (i == 1 && parts.size() == 2);
            filled.add(isScope ? fill(parts.get(i), values) : parts.get(i));
        }
        return new CapabilityTemplate(filled, refinements);
    }

    private static String fill(String part, Map<String, String> values) {
        return PLACEHOLDER
                .matcher(part)
                .replaceAll(match -> Matcher.quoteReplacement(values.getOrDefault(match.group(1), match.group())));
    }

    /// Control characters could break out of a line of configuration, formatting ones could mislead a reviewer.
    private static void checkCharacters(String raw) {
        if (raw.length() > LENGTH_MAX) {
            throw new CompilationError(
                    Code.MANIFEST_TOO_LARGE, "a capability is longer than " + LENGTH_MAX + " characters");
        }
        for (int i = 0; i < raw.length(); i += Character.charCount(raw.codePointAt(i))) {
            int point = raw.codePointAt(i);
            switch (Character.getType(point)) {
                case Character.CONTROL,
                        Character.FORMAT,
                        Character.SURROGATE,
                        Character.LINE_SEPARATOR,
                        Character.PARAGRAPH_SEPARATOR ->
                    throw new CompilationError(
                            Code.CAP_CHARACTER,
                            "character U+" + String.format("%04X", point) + " is not allowed in a capability");
                default -> {}
            }
        }
    }
}
