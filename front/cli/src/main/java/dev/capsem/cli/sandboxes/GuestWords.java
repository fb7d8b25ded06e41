package dev.capsem.cli.sandboxes;

import dev.capsem.cli.CliProblem;
import dev.capsem.wire.service.ExecRequest.Command;
import java.util.List;

/// The words after the options: a program with its arguments, or one quoted line for the shell.
final class GuestWords {
    private GuestWords() {}

    /// @param words perhaps with the `--` that separates them from ours
    static Command command(List<String> words) {
        List<String> own = !words.isEmpty() && words.getFirst().equals("--") ? words.subList(1, words.size()) : words;
        if (own.isEmpty()) {
            throw CliProblem.usage("no command was given", "put it after --, for example: -- ls -l");
        }
        boolean isLine = own.size() == 1 && own.getFirst().chars().anyMatch(Character::isWhitespace);
        return isLine ? new Command.Shell(own.getFirst()) : new Command.Argv(own);
    }
}
