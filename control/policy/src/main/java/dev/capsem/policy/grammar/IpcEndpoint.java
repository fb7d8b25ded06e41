package dev.capsem.policy.grammar;

import dev.capsem.policy.diagnostic.Code;
import dev.capsem.policy.diagnostic.CompilationError;
import java.util.Optional;

/// The far end of an ipc capability: `x11`, `dbus:session`, `dbus:system`, `unix:/path`, or a name only a host knows.
public record IpcEndpoint(String text) {
    private static final String UNIX = "unix:";

    public IpcEndpoint {
        if (text.isEmpty()) {
            throw new CompilationError(Code.CAP_SCOPE_EMPTY, "the endpoint is empty; name one, such as 'x11'");
        }
        if (text.startsWith(UNIX)) {
            checkSocket(text.substring(UNIX.length()));
        }
    }

    /// The socket's path, for a `unix:` endpoint.
    public Optional<String> socket() {
        return text.startsWith(UNIX) ? Optional.of(text.substring(UNIX.length())) : Optional.empty();
    }

    private static void checkSocket(String path) {
        boolean plain;
        try {
            FsPath checked = new FsPath(path);
            plain = !checked.isGlob() && !path.endsWith("/");
        } catch (CompilationError e) {
            plain = false;
        }
        if (!plain) {
            throw new CompilationError(
                    Code.CAP_IPC_ENDPOINT, "'unix:" + path + "' does not name a socket by a plain absolute path");
        }
    }

    @Override
    public String toString() {
        return text;
    }
}
