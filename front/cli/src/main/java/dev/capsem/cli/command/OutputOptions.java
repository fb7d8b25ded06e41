package dev.capsem.cli.command;

import dev.capsem.cli.screen.Screen;
import dev.capsem.wire.json.Json;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/// Options of every command.
public final class OutputOptions {
    @Option(names = "--json", description = "Answer with one JSON document.")
    boolean json;

    @Option(
            names = {"-q", "--quiet"},
            description = "Print only the result.")
    boolean quiet;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    boolean help;

    /// Whether `word` is one of these options; if so it is set.
    public boolean take(String word) {
        switch (word) {
            case "--json" -> json = true;
            case "-q", "--quiet" -> quiet = true;
            default -> {
                return false;
            }
        }
        return true;
    }

    public boolean isJson() {
        return json;
    }

    public boolean isQuiet() {
        return quiet;
    }

    public void print(Screen screen, JsonNode value) {
        screen.print(Json.text(value));
    }
}
