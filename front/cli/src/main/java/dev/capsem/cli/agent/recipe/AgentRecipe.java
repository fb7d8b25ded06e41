package dev.capsem.cli.agent.recipe;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/// How one agent is run in a sandbox.
///
/// @param title for people
/// @param command the program's name
/// @param places further directories in which it may be; `~` is the user's home
/// @param mounts what it needs of this host beside its own package; `~` is the user's home
/// @param yolo its own flags for not asking before each step
/// @param env for the agent
/// @param hosts allowed beside those of the profile
/// @param refused hosts that are blocked without a question
/// @param budget what a run may spend unless somebody says otherwise
/// @param needsLogin whether it is no use without one
/// @param everyLogin whether all logins that are found go with it, not only the first
public record AgentRecipe(
        String name,
        String title,
        String command,
        List<String> places,
        List<String> mounts,
        List<String> yolo,
        Map<String, String> env,
        List<String> hosts,
        List<String> refused,
        String budget,
        boolean needsLogin,
        boolean everyLogin,
        List<Login> logins,
        List<Settings> settings) {
    public static final String BUDGET = "5usd";

    public AgentRecipe {
        places = List.copyOf(places);
        mounts = List.copyOf(mounts);
        yolo = List.copyOf(yolo);
        env = Map.copyOf(env);
        hosts = List.copyOf(hosts);
        refused = List.copyOf(refused);
        logins = List.copyOf(logins);
        settings = List.copyOf(settings);
    }

    /// A credential that the agent knows how to send. Its value is looked for in the variable, then in the secret
    /// store under this name, then in the file.
    ///
    /// @param name of the grant, and of the secret in the store
    /// @param variable holds the value outside and its stand-in inside
    /// @param hosts where the value may go
    /// @param places where in a request
    /// @param baseUrl a variable that names another server in place of these hosts
    /// @param provider whose API that server speaks
    /// @param file JSON in which the agent itself keeps the value; `~` is the user's home
    /// @param pointer where in the file
    /// @param expires where in the file it says until when
    public record Login(
            String name,
            String variable,
            List<String> hosts,
            List<String> places,
            Optional<String> baseUrl,
            Optional<String> provider,
            Optional<String> file,
            Optional<String> pointer,
            Optional<String> expires) {
        public Login {
            hosts = List.copyOf(hosts);
            places = List.copyOf(places);
        }
    }

    /// A settings file of the user's that comes along.
    ///
    /// @param file below the user's home, such as `.claude.json`; at the same place below `/root` inside
    /// @param keep members of the JSON that come along; everything else stays outside
    /// @param flags members that are set to true inside
    /// @param whole whether all of a text comes along
    public record Settings(String file, List<String> keep, List<String> flags, boolean whole) {
        public Settings {
            keep = List.copyOf(keep);
            flags = List.copyOf(flags);
        }
    }
}
