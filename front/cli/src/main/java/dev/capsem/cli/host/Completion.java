package dev.capsem.cli.host;

import java.util.ArrayList;
import java.util.List;

/// Completion scripts: commands, their options, and the sandboxes there are.
final class Completion {
    private Completion() {}

    record OptionWords(List<String> names, String description, boolean takesValue) {}

    /// @param takesSession whether sandboxes are offered as arguments
    record Words(String name, List<String> aliases, String summary, List<OptionWords> options, boolean takesSession) {
        List<String> names() {
            var names = new ArrayList<String>(List.of(name));
            names.addAll(aliases);
            return names;
        }
    }

    static String bash(List<Words> commands) {
        var text = new StringBuilder("""
                # capsem completion for bash
                _capsem() {
                    local current=${COMP_WORDS[COMP_CWORD]} words= sessions=
                    if [ "$COMP_CWORD" -eq 1 ]; then
                        words="%s"
                    else
                        case ${COMP_WORDS[1]} in
                """.formatted(allNames(commands)));
        for (Words command : commands) {
            text.append("            %s) words=\"%s\"%s ;;\n"
                    .formatted(
                            String.join("|", command.names()),
                            optionNames(command),
                            command.takesSession() ? " sessions=1" : ""));
        }
        return text.append("""
                        esac
                        [ -n "$sessions" ] && words="$words $(capsem list -q 2>/dev/null)"
                    fi
                    COMPREPLY=($(compgen -W "$words" -- "$current"))
                }
                complete -o default -F _capsem capsem
                """).toString();
    }

    static String zsh(List<Words> commands) {
        var text =
                new StringBuilder("#compdef capsem\n# capsem completion for zsh\n_capsem() {\n    local -a commands\n");
        text.append("    commands=(\n");
        for (Words command : commands) {
            command.names()
                    .forEach(name -> text.append("        '%s:%s'\n".formatted(name, zshText(command.summary()))));
        }
        text.append("""
                    )
                    if (( CURRENT == 2 )); then
                        _describe command commands
                        return
                    fi
                    case $words[2] in
                """);
        for (Words command : commands) {
            text.append("        %s)\n            compadd -- %s\n"
                    .formatted(String.join("|", command.names()), optionNames(command)));
            if (command.takesSession()) {
                text.append("            compadd -- ${(f)\"$(capsem list -q 2>/dev/null)\"}\n");
            }
            text.append("            _files ;;\n");
        }
        return text.append("    esac\n}\ncompdef _capsem capsem\n").toString();
    }

    static String fish(List<Words> commands) {
        var text = new StringBuilder("# capsem completion for fish\n");
        for (Words command : commands) {
            String seen = "__fish_seen_subcommand_from " + String.join(" ", command.names());
            command.names()
                    .forEach(name -> text.append("complete -c capsem -f -n __fish_use_subcommand -a %s -d %s\n"
                            .formatted(name, quoted(command.summary()))));
            for (OptionWords option : command.options()) {
                text.append("complete -c capsem -n '%s'%s -d %s\n"
                        .formatted(seen, fishNames(option), quoted(option.description())));
            }
            if (command.takesSession()) {
                text.append("complete -c capsem -n '%s' -a '(capsem list -q 2>/dev/null)'\n".formatted(seen));
            }
        }
        return text.toString();
    }

    private static String fishNames(OptionWords option) {
        var text = new StringBuilder();
        for (String name : option.names()) {
            text.append(name.startsWith("--") ? " -l " + name.substring(2) : " -s " + name.substring(1));
        }
        return text.append(option.takesValue() ? " -r" : "").toString();
    }

    private static String allNames(List<Words> commands) {
        return String.join(
                " ", commands.stream().flatMap(c -> c.names().stream()).toList());
    }

    private static String optionNames(Words command) {
        return String.join(
                " ", command.options().stream().flatMap(o -> o.names().stream()).toList());
    }

    private static String zshText(String text) {
        return text.replace("'", "'\\''").replace(":", "\\:");
    }

    private static String quoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
