package dev.capsem.profiles.mcp;

import dev.capsem.profiles.secret.Template;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// How a server is reached.
public sealed interface Transport {
    /// Over the network.
    ///
    /// @param url its host and port are always written out
    record Http(Template url, boolean isSse, Map<String, Template> headers, Optional<Template> bearerToken)
            implements Transport {
        public Http {
            headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
        }
    }

    /// A program that we start in a sandbox of its own.
    record Stdio(String command, List<Template> args, Map<String, Template> env) implements Transport {
        public Stdio {
            args = List.copyOf(args);
            env = Collections.unmodifiableMap(new LinkedHashMap<>(env));
        }
    }
}
