package dev.capsem.cli.host;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;

/// Completion scripts: commands, their options, and the sandboxes there are.
final class Completion {
    /// Commands whose argument is a profile.
    private static final List<String> PROFILES = List.of("profiles use", "profiles show", "profiles diff");

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
                    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words= sessions=
                    case "$previous" in
                        --workspace|--cwd) COMPREPLY=($(compgen -d -- "$current")); return ;;
                        -o|--output) COMPREPLY=($(compgen -f -- "$current")); return ;;
                        --profile) COMPREPLY=($(compgen -W "$(capsem profiles list -q 2>/dev/null)" -- "$current")); return ;;
                        --from|--in) COMPREPLY=($(compgen -W "$(capsem list -q 2>/dev/null)" -- "$current")); return ;;
                    esac
                    if [ "$COMP_CWORD" -eq 1 ]; then
                        words="%s"
                    else
                        case "${COMP_WORDS[1]} ${COMP_WORDS[2]}" in
                """.formatted(String.join(" ", firstWords(commands))));
        // Two words before one: a family's own options are offered where no member of it is named.
        for (Words command : membersFirst(commands)) {
            String patterns = String.join(
                    "|", command.names().stream().map(Completion::bashPattern).toList());
            text.append("            %s) words=\"%s\"%s ;;\n"
                    .formatted(
                            patterns,
                            (optionNames(command) + " " + members(commands, command.name())).strip(),
                            command.takesSession() ? " sessions=1" : ""));
        }
        for (String family : familiesOnly(commands)) {
            text.append("            \"%s \"*) words=\"%s\" ;;\n".formatted(family, members(commands, family)));
        }
        return text.append("""
                        esac
                        # Options are offered to whoever begins one, values to everybody else.
                        case "$current" in
                            -*) ;;
                            *) words=$(printf '%s\\n' $words | grep -v '^-') ;;
                        esac
                        case "${COMP_WORDS[1]} ${COMP_WORDS[2]}" in
                            "profiles use"|"profiles show"|"profiles diff") words="$words $(capsem profiles list -q 2>/dev/null)" ;;
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
            command.names().stream()
                    .filter(name -> !name.contains(" "))
                    .forEach(name -> text.append("        '%s:%s'\n".formatted(name, zshText(command.summary()))));
        }
        familiesOnly(commands).forEach(family -> text.append("        '%s'\n".formatted(family)));
        text.append("""
                    )
                    if (( CURRENT == 2 )); then
                        _describe command commands
                        return
                    fi
                    case "$words[2] $words[3]" in
                """);
        for (Words command : membersFirst(commands)) {
            String patterns = String.join(
                    "|", command.names().stream().map(Completion::bashPattern).toList());
            String offered = (optionNames(command) + " " + members(commands, command.name())).strip();
            text.append("        %s)\n            compadd -- %s\n".formatted(patterns, offered));
            if (PROFILES.contains(command.name())) {
                text.append("            compadd -- ${(f)\"$(capsem profiles list -q 2>/dev/null)\"}\n");
            }
            if (command.takesSession()) {
                text.append("            compadd -- ${(f)\"$(capsem list -q 2>/dev/null)\"}\n");
            }
            text.append("            _files ;;\n");
        }
        for (String family : familiesOnly(commands)) {
            text.append(
                    "        \"%s \"*)\n            compadd -- %s ;;\n".formatted(family, members(commands, family)));
        }
        return text.append("    esac\n}\ncompdef _capsem capsem\n").toString();
    }

    static String fish(List<Words> commands) {
        var text = new StringBuilder("# capsem completion for fish\n");
        for (String word : firstWords(commands)) {
            String about = commands.stream()
                    .filter(command -> command.names().contains(word))
                    .findFirst()
                    .map(command -> " -d " + quoted(command.summary()))
                    .orElse("");
            text.append("complete -c capsem -f -n __fish_use_subcommand -a %s%s\n".formatted(word, about));
        }
        for (Words command : commands) {
            String seen = String.join(
                    "; and ",
                    List.of(command.name().split(" ")).stream()
                            .map(word -> "__fish_seen_subcommand_from " + word)
                            .toList());
            if (command.name().contains(" ")) {
                String[] words = command.name().split(" ");
                text.append("complete -c capsem -f -n '__fish_seen_subcommand_from %s' -a %s -d %s\n"
                        .formatted(words[0], words[1], quoted(command.summary())));
            } else {
                seen = "__fish_seen_subcommand_from " + String.join(" ", command.names());
            }
            for (OptionWords option : command.options()) {
                text.append("complete -c capsem -n '%s'%s -d %s\n"
                        .formatted(seen, fishNames(option), quoted(option.description())));
            }
            if (PROFILES.contains(command.name())) {
                text.append(
                        "complete -c capsem -f -n '%s' -a '(capsem profiles list -q 2>/dev/null)'\n".formatted(seen));
            }
            if (command.takesSession()) {
                text.append("complete -c capsem -n '%s' -a '(capsem list -q 2>/dev/null)'\n".formatted(seen));
            }
        }
        return text.toString();
    }

    /// The first words: commands of one word, then families.
    private static List<String> firstWords(List<Words> commands) {
        var words = new LinkedHashSet<String>();
        for (Words command : commands) {
            command.names().forEach(name -> words.add(name.split(" ")[0]));
        }
        return List.copyOf(words);
    }

    /// Families whose first word is no command by itself.
    private static List<String> familiesOnly(List<Words> commands) {
        var single =
                commands.stream().flatMap(command -> command.names().stream()).toList();
        return firstWords(commands).stream()
                .filter(word -> !single.contains(word))
                .toList();
    }

    private static List<Words> membersFirst(List<Words> commands) {
        return commands.stream()
                .sorted(Comparator.comparing(command -> !command.name().contains(" ")))
                .toList();
    }

    /// `list check test` of `rules`.
    private static String members(List<Words> commands, String family) {
        return String.join(
                " ",
                commands.stream()
                        .map(Words::name)
                        .filter(name -> name.startsWith(family + " "))
                        .map(name -> name.substring(family.length() + 1))
                        .toList());
    }

    /// Of the two words that were typed first.
    private static String bashPattern(String name) {
        return name.contains(" ") ? "\"" + name + "\"" : "\"" + name + " \"*";
    }

    private static String fishNames(OptionWords option) {
        var text = new StringBuilder();
        for (String name : option.names()) {
            text.append(name.startsWith("--") ? " -l " + name.substring(2) : " -s " + name.substring(1));
        }
        return text.append(option.takesValue() ? " -r" : "").toString();
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
