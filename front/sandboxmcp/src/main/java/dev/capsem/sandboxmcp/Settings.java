package dev.capsem.sandboxmcp;

import dev.capsem.sandboxmcp.io.BearerToken;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonShapeException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/// Settings of the command line, the environment and the credential file, in this order of precedence.
///
/// @param server without a slash at its end
public record Settings(URI server, Optional<BearerToken> token, boolean workspaceTools, Transport transport) {
    static final String SERVER_DEFAULT = "https://mitos.run";
    private static final int PORT_DEFAULT = 8765;

    static final String USAGE = """
            Usage: mitos-mcp [OPTIONS]

            An MCP server whose tools drive a sandbox server over HTTP.

              --server URL               the sandbox server (MITOS_BASE_URL; default https://mitos.run)
              --token TOKEN              bearer token (MITOS_API_KEY; else the credential file; else none)
              --enable-workspace-tools   offer the workspace tools too
              --transport stdio|http     stdio (default), or Streamable HTTP at http://127.0.0.1:PORT/mcp
              --port PORT                for --transport http (default 8765; 0 for any)
              --open                     for --transport http: let every program of this machine call
              --version, --help

            The credential file is credentials.json in MITOS_CONFIG_DIR, or in ~/.config/mitos.
            Clients of the HTTP transport must send MITOS_MCP_HTTP_TOKEN as a bearer token, unless --open is given.
            """;

    public sealed interface Transport {
        record Stdio() implements Transport {}

        /// @param password what clients must send; anyone on this host may call when there is none, which `--open`
        ///     wants
        record Http(int port, Optional<BearerToken> password) implements Transport {}
    }

    sealed interface Parsed {
        record Run(Settings settings) implements Parsed {}

        record Help() implements Parsed {}

        record Version() implements Parsed {}

        /// @param complaint names the option, never a value
        record Wrong(String complaint) implements Parsed {}
    }

    /// @param read the content of a file; empty when it cannot be read
    static Parsed parse(
            List<String> words, Map<String, String> environment, Path userHome, Function<Path, Optional<byte[]>> read) {
        Optional<String> server = Optional.empty();
        Optional<String> token = Optional.empty();
        boolean workspaceTools = false;
        boolean isHttp = false;
        boolean isOpen = false;
        int port = PORT_DEFAULT;
        Deque<String> left = new ArrayDeque<>(words);
        while (!left.isEmpty()) {
            Option option = Option.of(left.removeFirst());
            if (option.wantsValue() && option.value().isEmpty()) {
                if (left.isEmpty()) {
                    return new Parsed.Wrong(option.name() + " needs a value");
                }
                option = new Option(option.name(), Optional.of(left.removeFirst()));
            }
            String value = option.value().orElse("");
            switch (option.name()) {
                case "--server" -> server = Optional.of(value);
                case "--token" -> token = Optional.of(value);
                case "--enable-workspace-tools" -> {
                    if (!value.isEmpty() && !value.equals("true") && !value.equals("false")) {
                        return new Parsed.Wrong("--enable-workspace-tools is true or false");
                    }
                    workspaceTools = !value.equals("false");
                }
                case "--transport" -> {
                    if (!value.equals("stdio") && !value.equals("http")) {
                        return new Parsed.Wrong("--transport is stdio or http");
                    }
                    isHttp = value.equals("http");
                }
                case "--open" -> isOpen = true;
                case "--port" -> {
                    Optional<Integer> number = port(value);
                    if (number.isEmpty()) {
                        return new Parsed.Wrong("--port is a number from 0 to 65535");
                    }
                    port = number.get();
                }
                case "-h", "--help", "--h" -> {
                    return new Parsed.Help();
                }
                case "-V", "--version" -> {
                    return new Parsed.Version();
                }
                default -> {
                    return new Parsed.Wrong("there is no such option; see --help");
                }
            }
        }
        Optional<URI> base =
                base(server.or(() -> given(environment, "MITOS_BASE_URL")).orElse(SERVER_DEFAULT));
        if (base.isEmpty()) {
            return new Parsed.Wrong("the server must be an http or https URL");
        }
        Optional<BearerToken> bearer = token.filter(text -> !text.isEmpty())
                .or(() -> given(environment, "MITOS_API_KEY"))
                .or(() -> read.apply(credentials(environment, userHome)).flatMap(Settings::tokenOf))
                .map(BearerToken::new);
        Optional<BearerToken> password =
                given(environment, "MITOS_MCP_HTTP_TOKEN").map(BearerToken::new);
        if (isHttp && !isOpen && password.isEmpty()) {
            return new Parsed.Wrong("--transport http would let every program and user of this machine use your token: "
                    + "set MITOS_MCP_HTTP_TOKEN to a password for its clients, or add --open");
        }
        Transport transport =
                isHttp ? new Transport.Http(port, isOpen ? Optional.empty() : password) : new Transport.Stdio();
        return new Parsed.Run(new Settings(base.get(), bearer, workspaceTools, transport));
    }

    private record Option(String name, Optional<String> value) {
        /// `--name=value`, `--name` and, as the flags of other programs are written, `-name`.
        static Option of(String word) {
            String name = word.startsWith("-") && !word.startsWith("--") && word.length() > 2 ? "-" + word : word;
            int equals = name.indexOf('=');
            return equals < 0
                    ? new Option(name, Optional.empty())
                    : new Option(name.substring(0, equals), Optional.of(name.substring(equals + 1)));
        }

        boolean wantsValue() {
            return List.of("--server", "--token", "--transport", "--port").contains(name);
        }
    }

    private static Optional<String> given(Map<String, String> environment, String name) {
        return Optional.ofNullable(environment.get(name)).filter(value -> !value.isEmpty());
    }

    private static Optional<Integer> port(String text) {
        try {
            int number = Integer.parseInt(text);
            return number >= 0 && number <= 65_535 ? Optional.of(number) : Optional.empty();
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    private static Optional<URI> base(String text) {
        try {
            URI uri = URI.create(text.replaceAll("/+$", ""));
            boolean isWeb = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
            return isWeb && uri.getHost() != null && uri.getUserInfo() == null ? Optional.of(uri) : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static Path credentials(Map<String, String> environment, Path userHome) {
        return given(environment, "MITOS_CONFIG_DIR")
                .map(Path::of)
                .orElse(userHome.resolve(".config").resolve("mitos"))
                .resolve("credentials.json");
    }

    /// A file without a token, or that is no JSON, is as good as none.
    private static Optional<String> tokenOf(byte[] file) {
        try {
            return Optional.of(Json.parse(file).path("token").asString("")).filter(token -> !token.isEmpty());
        } catch (JsonShapeException e) {
            return Optional.empty();
        }
    }

    /// The line on stderr at the start; says whether there is a token, never which.
    String startLine() {
        return "server=" + server + " workspace_tools=" + workspaceTools + " token="
                + (token.isPresent() ? "set" : "unset");
    }
}
