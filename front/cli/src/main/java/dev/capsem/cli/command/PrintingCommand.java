package dev.capsem.cli.command;

import java.util.List;
import java.util.function.Consumer;
import picocli.CommandLine.Mixin;

/// A command that prints a result, as text or as JSON.
public abstract class PrintingCommand implements CapsemCommand {
    @Mixin
    protected OutputOptions output = new OutputOptions();

    protected final CliContext context;

    protected PrintingCommand(CliContext context) {
        this.context = context;
    }

    @Override
    public final boolean takePlain(OutputOptions given, List<String> words) {
        if (!takeWords(words)) {
            return false;
        }
        output = given;
        return true;
    }

    /// Fills in the parameters. False if the words are too few or too many, or if an option is required.
    protected boolean takeWords(List<String> words) {
        return false;
    }

    /// For a command with one parameter.
    protected static boolean one(List<String> words, Consumer<String> parameter) {
        if (words.size() != 1) {
            return false;
        }
        parameter.accept(words.getFirst());
        return true;
    }

    /// For a command with one or more parameters of a kind.
    protected static boolean many(List<String> words, Consumer<List<String>> parameters) {
        parameters.accept(words);
        return !words.isEmpty();
    }
}
