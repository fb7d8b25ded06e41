package dev.capsem.cli.sandboxes;

import dev.capsem.cli.command.CliProblem;
import dev.capsem.wire.service.ExecRequest.Command;
import java.util.List;

/// The words after the options: a program with its arguments, or one quoted line for the shell.
final class GuestWords {
    private GuestWords() {}

    /// @param words perhaps with the `--` that separates them from ours
    /// @param program ours, as it was typed
    /// @param sandbox empty when none is named
    static Command command(List<String> words, String program, String sandbox) {
        if (!words.isEmpty()
                && words.getFirst().startsWith("-")
                && !words.getFirst().equals("--")) {
            throw tooLate(words, program, sandbox);
        }
        List<String> own = !words.isEmpty() && words.getFirst().equals("--") ? words.subList(1, words.size()) : words;
        if (own.isEmpty()) {
            throw CliProblem.usage("no command was given", "put it after --, for example: -- ls -l");
        }
        boolean isLine = own.size() == 1 && own.getFirst().chars().anyMatch(Character::isWhitespace);
        return isLine ? new Command.Shell(own.getFirst()) : new Command.Argv(own);
    }

    /// No program's name begins with a dash.
    private static CliProblem tooLate(List<String> words, String program, String sandbox) {
        int end = words.indexOf("--");
        List<String> options = end < 0 ? words : words.subList(0, end);
        String rest = end < 0 ? "-- COMMAND" : String.join(" ", words.subList(end, words.size()));
        return CliProblem.usage(
                options.getFirst() + " is read as the command, because it comes after the sandbox",
                "put options first: `" + program + " " + String.join(" ", options) + " " + sandbox + " " + rest + "`");
    }
}
