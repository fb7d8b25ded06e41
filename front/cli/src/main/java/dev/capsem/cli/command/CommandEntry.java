package dev.capsem.cli.command;

import dev.capsem.cli.screen.Ink;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/// One line of the table of commands.
///
/// @param name one word, or two: a family and what it is to do
/// @param aliases other names
/// @param summary one line, also the head of its help
/// @param make loads the command's class when it is called, not before
public record CommandEntry(
        String name, List<String> aliases, Group group, String summary, Function<CliContext, CapsemCommand> make) {
    private static final int HELP_WIDTH = 100;

    /// Where `capsem --help` lists a command.
    public enum Group {
        USE("Run things"),
        PROJECT("A project of yours, copy-on-write"),
        LIFE("Sandboxes"),
        RULES("What sandboxes may do"),
        RECORD("What happened"),
        HOST("This installation");

        private final String title;

        Group(String title) {
            this.title = title;
        }

        public String title() {
            return title;
        }
    }

    /// `rules` of `rules list`; empty for a command that belongs to none.
    public Optional<String> family() {
        int blank = name.indexOf(' ');
        return blank < 0 ? Optional.empty() : Optional.of(name.substring(0, blank));
    }

    /// `list` of `rules list`.
    public String lastWord() {
        return name.substring(name.indexOf(' ') + 1);
    }

    /// `list, ls`
    public String names() {
        return aliases.isEmpty() ? name : name + ", " + String.join(", ", aliases);
    }

    public boolean isCalled(String word) {
        return name.equals(word) || aliases.contains(word);
    }

    public CapsemCommand create(CliContext context) {
        return make.apply(context);
    }

    /// The command as picocli knows it; also what help, completions and the reference are made of.
    public CommandLine commandLine(CapsemCommand command, Ink ink) {
        var line = new CommandLine(command);
        line.setCommandName("capsem " + name);
        line.setStopAtPositional(command.takesGuestCommand());
        line.setExpandAtFiles(false);
        line.setUsageHelpWidth(HELP_WIDTH);
        line.setUsageHelpAutoWidth(false);
        line.setColorScheme(CommandLine.Help.defaultColorScheme(ink.isOn() ? Ansi.ON : Ansi.OFF));
        line.getCommandSpec().usageMessage().description(summary);
        return line;
    }
}
