package dev.capsem.cli.host;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.CommandEntry;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Ink;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Parameters;

/// `capsem completions`
@Command(
        footer = {
            "",
            "Examples:",
            "  source <(capsem completions bash)",
            "  capsem completions zsh > ~/.zfunc/_capsem",
            "  capsem completions fish > ~/.config/fish/completions/capsem.fish"
        })
public final class CompletionsCommand extends PrintingCommand {
    enum Shell {
        bash,
        zsh,
        fish
    }

    @Parameters(index = "0", paramLabel = "bash|zsh|fish", description = "Name of your shell.")
    Shell shell = Shell.bash;

    private final List<CommandEntry> entries;

    /// @param entries of all commands, this one too
    public CompletionsCommand(CliContext context, List<CommandEntry> entries) {
        super(context);
        this.entries = List.copyOf(entries);
    }

    @Override
    public int run() {
        List<Completion.Words> commands = new ArrayList<>();
        for (CommandEntry entry : entries) {
            CommandSpec spec =
                    entry.commandLine(entry.create(context), new Ink(false)).getCommandSpec();
            commands.add(new Completion.Words(
                    entry.name(),
                    entry.aliases(),
                    entry.summary(),
                    spec.options().stream().map(CompletionsCommand::option).toList(),
                    spec.positionalParameters().stream()
                            .anyMatch(parameter -> parameter.paramLabel().equals("SANDBOX"))));
        }
        context.screen()
                .out()
                .print(
                        switch (shell) {
                            case bash -> Completion.bash(commands);
                            case zsh -> Completion.zsh(commands);
                            case fish -> Completion.fish(commands);
                        });
        return ExitCode.DONE;
    }

    private static Completion.OptionWords option(OptionSpec option) {
        return new Completion.OptionWords(
                List.of(option.names()), option.description()[0], option.arity().max() > 0);
    }
}
