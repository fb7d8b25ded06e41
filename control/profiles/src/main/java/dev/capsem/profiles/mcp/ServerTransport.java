package dev.capsem.profiles.mcp;

import dev.capsem.profiles.secret.SecretTemplate;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// How a server is reached.
public sealed interface ServerTransport {
    /// Over the network.
    ///
    /// @param url its host and port are always written out
    record Http(
            SecretTemplate url,
            boolean isSse,
            Map<String, SecretTemplate> headers,
            Optional<SecretTemplate> bearerToken)
            implements ServerTransport {
        public Http {
            headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
        }
    }

    /// A program that we start in a sandbox of its own.
    record Stdio(String command, List<SecretTemplate> args, Map<String, SecretTemplate> env)
            implements ServerTransport {
        public Stdio {
            args = List.copyOf(args);
            env = Collections.unmodifiableMap(new LinkedHashMap<>(env));
        }
    }
}
