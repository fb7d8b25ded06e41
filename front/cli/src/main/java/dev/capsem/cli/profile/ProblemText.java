package dev.capsem.cli.profile;

import tools.jackson.databind.JsonNode;

/// A problem of a profile in one line: `coding.toml:3:1: …`.
final class ProblemText {
    private ProblemText() {}

    static String of(JsonNode problem) {
        if (problem.isString()) {
            return problem.stringValue();
        }
        String file = problem.path("file").asString("");
        String place = file.isEmpty()
                ? ""
                : file + ":" + problem.path("line").asInt(1) + ":"
                        + problem.path("column").asInt(1) + ": ";
        return place + problem.path("message").asString("");
    }
}
