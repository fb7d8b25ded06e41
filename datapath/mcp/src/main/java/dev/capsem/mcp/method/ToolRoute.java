package dev.capsem.mcp.method;

import dev.capsem.wire.aggregator.BuiltinTools;
import dev.capsem.wire.aggregator.Namespace;
import dev.capsem.wire.aggregator.ServerDefinition;
import java.util.Optional;

/// Where a name of the guest's leads.
///
/// @param server as rules and records know it: `builtin`, `file` or the external server's name
/// @param tool without the server's prefix
/// @param backendName as the backend knows it
public record ToolRoute(String server, String tool, String backendName) {
    public static final String BUILTIN = "builtin";
    public static final String FILE = "file";

    /// Built-in names first, then the server before the first `__`; anything else is no tool of ours.
    public static Optional<ToolRoute> of(String name) {
        String local = name.startsWith(ServerDefinition.LOCAL + Namespace.SEPARATOR)
                ? name.substring(ServerDefinition.LOCAL.length() + Namespace.SEPARATOR.length())
                : "";
        if (BuiltinTools.HTTP.contains(local)) {
            return Optional.of(new ToolRoute(BUILTIN, local, name));
        }
        String file = local.isEmpty() ? name : local;
        if (BuiltinTools.FILE.contains(file)) {
            return Optional.of(new ToolRoute(FILE, file, Namespace.name(ServerDefinition.LOCAL, file)));
        }
        return Namespace.splitName(name)
                .filter(split -> !split.server().equals(ServerDefinition.LOCAL))
                .map(split -> new ToolRoute(split.server(), split.original(), name));
    }

    /// The name under which the guest finds a tool of the backend.
    public static String shownName(String server, String original) {
        return server.equals(ServerDefinition.LOCAL) && BuiltinTools.FILE.contains(original)
                ? original
                : Namespace.name(server, original);
    }
}
