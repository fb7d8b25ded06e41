package dev.capsem.cli.screen;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// How this program was called, so that hints name what can be typed. Hints in our texts, the service's included, say
/// `capsem` for this program and `./capsem` for the script at the root of the repository.
///
/// @param program in place of `capsem`
/// @param repository in place of `./capsem`
public record CalledAs(String program, String repository) {
    /// The names that our own texts use.
    public static final CalledAs WRITTEN = new CalledAs("capsem", "./capsem");

    /// Before a command, an option or an argument; never within a path or a longer name. A colour may begin there.
    private static final Pattern HINT =
            Pattern.compile("(?:(?<![\\w./-])|(?<=\u001b\\[[0-9;]{1,8}m))(\\./)?capsem(?= (?:[a-z]|-|COMMAND|\\[))");

    /// @param environment the script at the root of the repository says in `CAPSEM_CALLED_AS` how it was called
    /// @param dist the programs; the repository is around it
    public static CalledAs of(Map<String, String> environment, Path dist) {
        Optional<String> typed =
                Optional.ofNullable(environment.get("CAPSEM_CALLED_AS")).filter(name -> !name.isEmpty());
        Optional<String> script = Optional.ofNullable(dist.getParent())
                .map(root -> root.resolve("capsem"))
                .filter(Files::isExecutable)
                .map(Path::toString);
        return new CalledAs(typed.orElse("capsem"), typed.or(() -> script).orElse("./capsem"));
    }

    String adapt(String line) {
        if (equals(WRITTEN) || !line.contains("capsem ")) {
            return line;
        }
        return HINT.matcher(line)
                .replaceAll(hint -> Matcher.quoteReplacement(hint.group(1) == null ? program : repository));
    }
}
