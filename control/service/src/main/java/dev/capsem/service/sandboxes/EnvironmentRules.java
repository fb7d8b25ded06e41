package dev.capsem.service.sandboxes;

import dev.capsem.service.problem.ServiceProblem;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/// Which environment variables a caller may set. The refused names change what a shell or the loader runs before
/// the command itself; a caller who wants that can say so in the command.
public final class EnvironmentRules {
    static final int VARIABLES_MAX = 128;
    static final int NAME_BYTES_MAX = 256;
    static final int VALUE_BYTES_MAX = 128 * 1_024;

    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
    private static final Set<String> REFUSED =
            Set.of("IFS", "BASH_ENV", "ENV", "CDPATH", "GLOBIGNORE", "SHELLOPTS", "BASHOPTS", "PROMPT_COMMAND", "PS4");

    private EnvironmentRules() {}

    public static Map<String, String> check(Map<String, String> environment) {
        if (environment.size() > VARIABLES_MAX) {
            throw refused("more than " + VARIABLES_MAX + " environment variables", "send fewer");
        }
        environment.forEach(EnvironmentRules::check);
        return environment;
    }

    private static void check(String name, String value) {
        if (bytes(name) > NAME_BYTES_MAX) {
            throw refused("an environment name is longer than " + NAME_BYTES_MAX + " bytes", "use a shorter name");
        }
        if (isRefused(name)) {
            throw refused(
                    "the environment variable " + name + " is refused",
                    "set it inside the command, for example: env " + name + "=… program");
        }
        if (!NAME.matcher(name).matches()) {
            throw refused("an environment name is not made of letters, digits and _", "rename or drop the variable");
        }
        if (bytes(value) > VALUE_BYTES_MAX) {
            throw refused(
                    "the value of " + name + " is longer than " + VALUE_BYTES_MAX + " bytes",
                    "put it into a file of the sandbox");
        }
        if (value.indexOf('\0') >= 0) {
            throw refused("the value of " + name + " holds a NUL character", "remove it");
        }
    }

    private static boolean isRefused(String name) {
        return REFUSED.contains(name) || name.startsWith("LD_") || name.startsWith("BASH_FUNC_");
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static ServiceProblem refused(String message, String remedy) {
        return new ServiceProblem(ServiceProblem.Code.BAD_ENVIRONMENT, message, remedy);
    }
}
