package dev.capsem.cli.host;

import dev.capsem.cli.Capsem;
import dev.capsem.cli.CapsemCommand;
import dev.capsem.cli.CliContext;
import dev.capsem.cli.CommandTable;
import dev.capsem.cli.ExitCode;
import dev.capsem.cli.OutputOptions;
import dev.capsem.cli.screen.Ink;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
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
public final class CompletionsCommand implements CapsemCommand {
    enum Shell {
        bash,
        zsh,
        fish
    }

    @Mixin
    OutputOptions output = new OutputOptions();

    @Parameters(index = "0", paramLabel = "bash|zsh|fish", description = "Name of your shell.")
    Shell shell = Shell.bash;

    private final CliContext context;

    public CompletionsCommand(CliContext context) {
        this.context = context;
    }

    @Override
    public int run() {
        List<Completion.Words> commands = new ArrayList<>();
        for (CommandTable.Entry entry : CommandTable.ENTRIES) {
            CommandSpec spec = Capsem.commandLine(entry, CommandTable.create(entry.name(), context), new Ink(false))
                    .getCommandSpec();
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
