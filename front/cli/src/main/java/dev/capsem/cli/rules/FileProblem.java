package dev.capsem.cli.rules;

import dev.capsem.wire.json.JsonMembers;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/// Something a person should change in a file, as the service found it.
///
/// @param line from 1; 0 when it is about the whole file
public record FileProblem(
        String file, int line, int column, String message, Optional<String> suggestion, boolean isWarning) {

    /// Problems first, then warnings.
    public static List<FileProblem> of(JsonNode reply) {
        var findings = new ArrayList<FileProblem>();
        JsonMembers fields = JsonMembers.of(reply, "");
        fields.objects("problems").forEach(item -> findings.add(fromJson(item, false)));
        fields.objects("warnings").forEach(item -> findings.add(fromJson(item, true)));
        return findings;
    }

    private static FileProblem fromJson(JsonMembers fields, boolean isWarning) {
        return new FileProblem(
                fields.optionalText("file").orElse(""),
                fields.integer("line", 0),
                fields.integer("column", 0),
                fields.text("message"),
                fields.optionalText("suggestion"),
                isWarning
                        || fields.optionalText("weight")
                                .filter("warning"::equals)
                                .isPresent());
    }
}
