package dev.capsem.service.rulecheck;

import dev.capsem.service.problem.ServiceProblem;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/// Writes a rule that came as JSON the way people write it.
public final class RuleText {
    private static final List<String> KEYS = List.of(
            "on",
            "if",
            "decision",
            "priority",
            "reason",
            "rewrite_target",
            "rewrite_value",
            "zone",
            "lists",
            "strip_request_headers",
            "strip_response_headers");

    private static final Pattern HEADED =
            Pattern.compile("\\s*\\[(security\\.rules\\.[^\\[\\]\\s]+)]\\R(.*)", Pattern.DOTALL);
    private static final Pattern HEADING = Pattern.compile("^\\s*\\[", Pattern.MULTILINE);

    private RuleText() {}

    /// One rule as people write it.
    ///
    /// @param table the lines below its header
    public record Headed(String id, String table) {}

    /// Takes the header off. A second header would be a second rule, or something that is no rule.
    public static Headed headed(String text) {
        Matcher parts = HEADED.matcher(text);
        if (!parts.matches() || HEADING.matcher(parts.group(2)).find()) {
            throw new ServiceProblem(
                    ServiceProblem.Code.BAD_RULE,
                    "the text is not one rule under its header",
                    "write [security.rules.<type>.<name>] and the rule's lines below it");
        }
        String table = parts.group(2);
        return new Headed(parts.group(1), table.endsWith("\n") ? table : table + "\n");
    }

    /// The lines below the rule's header.
    public static String table(JsonNode rule) {
        StringBuilder toml = new StringBuilder();
        for (String key : rule.propertyNames()) {
            if (!KEYS.contains(key)) {
                throw new ServiceProblem(
                        ServiceProblem.Code.WRONG_SHAPE,
                        "a rule has no member " + key.substring(0, Math.min(key.length(), 64)),
                        "use " + String.join(", ", KEYS));
            }
        }
        for (String key : KEYS) {
            JsonNode value = rule.path(key);
            if (!value.isMissingNode() && !value.isNull()) {
                toml.append(key).append(" = ").append(value(key, value)).append('\n');
            }
        }
        return toml.toString();
    }

    private static String value(String key, JsonNode value) {
        if (value.isString()) {
            return quoted(value.stringValue());
        }
        if (value.isIntegralNumber() && value.canConvertToInt()) {
            return Integer.toString(value.intValue());
        }
        if (value.isArray() && value.valueStream().allMatch(JsonNode::isString)) {
            return value.valueStream()
                    .map(item -> quoted(item.stringValue()))
                    .collect(Collectors.joining(", ", "[", "]"));
        }
        throw new ServiceProblem(
                ServiceProblem.Code.WRONG_SHAPE,
                key + " has a value of the wrong kind",
                "docs/rules.md explains each field");
    }

    /// A basic TOML string.
    public static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        text.codePoints().forEach(c -> {
            switch (c) {
                case '"' -> quoted.append("\\\"");
                case '\\' -> quoted.append("\\\\");
                case '\n' -> quoted.append("\\n");
                case '\t' -> quoted.append("\\t");
                case '\r' -> quoted.append("\\r");
                default -> {
                    if (c < ' ' || c == 0x7f) {
                        quoted.append(String.format("\\u%04x", c));
                    } else {
                        quoted.appendCodePoint(c);
                    }
                }
            }
        });
        return quoted.append('"').toString();
    }
}
