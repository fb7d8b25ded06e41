package dev.capsem.events.security;

import dev.capsem.events.address.AddressClass;
import dev.capsem.events.address.HostNames;
import dev.capsem.events.address.UrlPaths;
import dev.capsem.events.address.UrlReading;
import dev.capsem.events.vocabulary.EventFamily;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.events.vocabulary.SourceEngine;
import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/// Something that is about to happen, or was seen to happen, in the form rules judge. A response carries its
/// request, so that a rule on the answer can look at the question.
public sealed interface SecurityEvent {
    Envelope envelope();

    EventType type();

    /// @param host lower case, without a trailing dot, IPv6 without brackets
    /// @param path as sent, from the first `/`; rules see [#normalizedPath()]
    /// @param address what the host resolved the name to and would connect to; absent before that
    /// @param reading how some server understands path and query, in place of what the standard says; never sent
    record HttpRequest(
            Envelope envelope,
            String method,
            String scheme,
            String host,
            int port,
            String path,
            Optional<String> query,
            Headers headers,
            Body body,
            Optional<InetAddress> address,
            Optional<UrlReading> reading)
            implements SecurityEvent {
        public HttpRequest(
                Envelope envelope,
                String method,
                String scheme,
                String host,
                int port,
                String path,
                Optional<String> query,
                Headers headers,
                Body body,
                Optional<InetAddress> address) {
            this(envelope, method, scheme, host, port, path, query, headers, body, address, Optional.empty());
        }

        public HttpRequest(
                Envelope envelope,
                String method,
                String scheme,
                String host,
                int port,
                String path,
                Optional<String> query,
                Headers headers,
                Body body) {
            this(envelope, method, scheme, host, port, path, query, headers, body, Optional.empty());
        }

        public HttpRequest {
            host = HostNames.normalize(host);
            Checks.token("http method", method);
            Checks.oneOf("scheme", scheme, "http", "https", "ws", "wss");
            Checks.that(HostNames.isHost(host), "not a host name or address");
            Checks.that(port >= 1 && port <= 65_535, "a port is from 1 to 65535");
            Checks.that(path.startsWith("/") || path.equals("*"), "a path starts with /");
            Checks.visible("path", path);
            Checks.that(path.indexOf('?') < 0 && path.indexOf('#') < 0, "a path has neither ? nor #");
            query.ifPresent(text -> {
                Checks.visible("query", text);
                Checks.that(text.indexOf('#') < 0, "a query has no #");
            });
        }

        @Override
        public EventType type() {
            return EventType.HTTP_REQUEST;
        }

        /// As RFC 3986 §6.2.2 makes equivalent paths equal: `%6f` is `o`, `/a/../b` is `/b`.
        public String normalizedPath() {
            return reading.map(UrlReading::path).orElseGet(() -> UrlPaths.normalize(path));
        }

        /// As [#normalizedPath()]: `%2D` is `-`.
        public Optional<String> normalizedQuery() {
            return reading.map(UrlReading::query).orElse(query).map(UrlPaths::decodeUnreserved);
        }

        /// The same request as servers may understand it that take `%2f` for `/`, `//` for `/`, `..;` for `..` and the
        /// like. Most requests are understood in one way only.
        public List<HttpRequest> otherReadings() {
            return UrlReading.others(path, query).stream().map(this::readAs).toList();
        }

        private HttpRequest readAs(UrlReading other) {
            return new HttpRequest(
                    envelope, method, scheme, host, port, path, query, headers, body, address, Optional.of(other));
        }

        /// The port is named only if it is not the scheme's own.
        public String url() {
            return origin()
                    + normalizedPath()
                    + normalizedQuery().map(text -> "?" + text).orElse("");
        }

        /// The beginning of [#url()], up to the path.
        public String origin() {
            int usual = scheme.equals("http") || scheme.equals("ws") ? 80 : 443;
            String shown = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
            return scheme + "://" + shown + (port == usual ? "" : ":" + port);
        }

        /// The first segment of the path, or `root`.
        public String pathClass() {
            String normal = normalizedPath();
            int end = normal.indexOf('/', 1);
            String first = end < 0 ? normal.substring(1) : normal.substring(1, end);
            return first.isEmpty() ? "root" : first;
        }

        /// The same request, now that its name is resolved.
        public HttpRequest withAddress(InetAddress resolved) {
            return new HttpRequest(
                    envelope, method, scheme, host, port, path, query, headers, body, Optional.of(resolved), reading);
        }

        /// The same request, as it was before its name was resolved.
        public HttpRequest withoutAddress() {
            return new HttpRequest(
                    envelope, method, scheme, host, port, path, query, headers, body, Optional.empty(), reading);
        }

        /// `public`, `private`, `loopback`, `link_local`, `metadata`, `unspecified` or `reserved`.
        public Optional<String> addressClass() {
            return address.map(AddressClass::of).map(AddressClass::wireName);
        }

        /// The address as text, an IPv6 one without its zone.
        public Optional<String> addressText() {
            return address.map(InetAddress::getHostAddress).map(text -> {
                int zone = text.indexOf('%');
                return zone < 0 ? text : text.substring(0, zone);
            });
        }

        /// Whether it is known to lead to an address that is out of reach unless a rule names it.
        public boolean leadsInside() {
            return address.isPresent() && AddressClass.of(address.get()) != AddressClass.PUBLIC;
        }

        public HttpRequest withPath(String changed) {
            return new HttpRequest(envelope, method, scheme, host, port, changed, query, headers, body, address);
        }

        public HttpRequest withQuery(Optional<String> changed) {
            return new HttpRequest(envelope, method, scheme, host, port, path, changed, headers, body, address);
        }

        public HttpRequest withHeaders(Headers changed) {
            return new HttpRequest(envelope, method, scheme, host, port, path, query, changed, body, address, reading);
        }

        public HttpRequest withBody(Body changed) {
            return new HttpRequest(
                    envelope, method, scheme, host, port, path, query, headers, changed, address, reading);
        }
    }

    record HttpResponse(Envelope envelope, HttpRequest request, int status, Headers headers, Body body)
            implements SecurityEvent {
        public HttpResponse {
            Checks.that(status >= 100 && status <= 999, "a status is from 100 to 999");
        }

        @Override
        public EventType type() {
            return EventType.HTTP_RESPONSE;
        }

        public HttpResponse withRequest(HttpRequest changed) {
            return new HttpResponse(envelope, changed, status, headers, body);
        }

        public HttpResponse withHeaders(Headers changed) {
            return new HttpResponse(envelope, request, status, changed, body);
        }

        public HttpResponse withBody(Body changed) {
            return new HttpResponse(envelope, request, status, headers, changed);
        }
    }

    /// One question of a DNS packet.
    ///
    /// @param qname lower case, without a trailing dot; whatever else was asked for
    /// @param qtype the mnemonic, or `TYPE<n>`
    /// @param transport `udp` or `tcp`
    record DnsRequest(Envelope envelope, String qname, String qtype, String transport) implements SecurityEvent {
        public DnsRequest {
            qname = HostNames.normalize(qname);
            Checks.token("qtype", qtype);
            Checks.oneOf("transport", transport, "udp", "tcp");
        }

        @Override
        public EventType type() {
            return EventType.DNS_REQUEST;
        }

        /// `external`, `local`, `address` or `invalid`.
        public String domainClass() {
            return HostNames.classify(qname);
        }
    }

    /// @param serverName `builtin`, `file` or the external server's name, as `mcp_calls` has it
    /// @param toolName without the server's prefix; none if the method names no tool
    /// @param namespacedName the whole name as the guest sent it
    /// @param arguments none if absent or not JSON
    /// @param argumentsStatus `valid_json`, `not_json` or `absent`
    record McpRequest(
            Envelope envelope,
            String method,
            String serverName,
            Optional<String> toolName,
            Optional<String> namespacedName,
            Optional<JsonDocument> arguments,
            String argumentsStatus,
            Optional<JsonDocument> meta)
            implements SecurityEvent {
        public McpRequest {
            Checks.that(!method.isEmpty(), "an MCP method has a name");
            Checks.oneOf("arguments_status", argumentsStatus, "valid_json", "not_json", "absent");
            Checks.that(
                    arguments.isPresent() == argumentsStatus.equals("valid_json"),
                    "arguments are there exactly if their status is valid_json");
        }

        @Override
        public EventType type() {
            return EventType.MCP_REQUEST;
        }

        public McpRequest withArguments(JsonDocument changed) {
            return new McpRequest(
                    envelope, method, serverName, toolName, namespacedName, Optional.of(changed), "valid_json", meta);
        }
    }

    /// @param isError a JSON-RPC error, or a result that says `isError`
    record McpResponse(Envelope envelope, McpRequest request, boolean isError, Optional<JsonDocument> content)
            implements SecurityEvent {
        @Override
        public EventType type() {
            return EventType.MCP_RESPONSE;
        }

        public String resultStatus() {
            return isError ? "error" : "ok";
        }

        public McpResponse withContent(JsonDocument changed) {
            return new McpResponse(envelope, request, isError, Optional.of(changed));
        }
    }

    /// The result of a tool, on its way back to the model.
    record ToolResult(String toolCallId, String content, boolean isError) {
        @Override
        public String toString() {
            return "ToolResult[" + toolCallId + "]";
        }
    }

    /// A tool that the model wants to be called.
    ///
    /// @param name as the model said it
    /// @param origin `native`, `local` or `mcp_proxy`
    record ToolCall(String toolCallId, String name, String origin, Optional<JsonDocument> arguments) {
        public ToolCall {
            Checks.oneOf("origin", origin, "native", "local", "mcp_proxy");
        }
    }

    /// @param provider `anthropic`, `openai`, `google_gemini`, another provider's id, or `unknown`
    /// @param apiFamily such as `anthropic_messages`
    /// @param isAmbiguous whether its JSON repeats a key, so that two readers may understand two requests
    record ModelRequest(
            Envelope envelope,
            String provider,
            String apiFamily,
            Optional<String> model,
            boolean isStream,
            Body body,
            List<ToolResult> toolResults,
            boolean isAmbiguous)
            implements SecurityEvent {
        public ModelRequest(
                Envelope envelope,
                String provider,
                String apiFamily,
                Optional<String> model,
                boolean isStream,
                Body body,
                List<ToolResult> toolResults) {
            this(envelope, provider, apiFamily, model, isStream, body, toolResults, false);
        }

        public ModelRequest {
            Checks.token("provider", provider);
            Checks.token("api_family", apiFamily);
            toolResults = List.copyOf(toolResults);
        }

        @Override
        public EventType type() {
            return EventType.MODEL_REQUEST;
        }

        /// What the model is told: the text of all messages, instructions and tool results, as it was before JSON
        /// escaped it. None without a body, and where the body is not there to read.
        public Optional<String> prompt() {
            return body instanceof Body.Text text ? Optional.of(PromptText.of(text.text())) : Optional.empty();
        }

        /// The same request with a body that is read in another way.
        public ModelRequest withBody(Body other) {
            return new ModelRequest(envelope, provider, apiFamily, model, isStream, other, toolResults, isAmbiguous);
        }
    }

    /// @param body the text the model wrote
    record ModelResponse(
            Envelope envelope,
            ModelRequest request,
            Optional<String> model,
            Optional<String> stopReason,
            Body body,
            List<ToolCall> toolCalls,
            OptionalLong inputTokens,
            OptionalLong outputTokens)
            implements SecurityEvent {
        public ModelResponse {
            toolCalls = List.copyOf(toolCalls);
        }

        @Override
        public EventType type() {
            return EventType.MODEL_RESPONSE;
        }
    }

    /// A command that is about to run inside the sandbox.
    ///
    /// @param command the command line as given
    /// @param argv the words, if it came as words
    record ProcessExec(Envelope envelope, String command, List<String> argv, Optional<String> cwd)
            implements SecurityEvent {
        public ProcessExec {
            argv = List.copyOf(argv);
            Checks.that(!command.isBlank() || !argv.isEmpty(), "a command has at least one word");
        }

        @Override
        public EventType type() {
            return EventType.PROCESS_EXEC;
        }

        /// The first word.
        public String executable() {
            return argv.isEmpty() ? command.strip().split("\\s+", 2)[0] : argv.get(0);
        }

        /// `shell`, `python`, `javascript`, `rust`, `network` or `other`, by the first word's last path segment.
        public String commandClass() {
            String word = executable();
            return switch (word.substring(word.lastIndexOf('/') + 1)) {
                case "bash", "dash", "fish", "sh", "zsh" -> "shell";
                case "python", "python3", "pip", "pip3", "uv" -> "python";
                case "node", "npm", "pnpm", "yarn", "bun" -> "javascript";
                case "cargo", "rustc", "rustup" -> "rust";
                case "curl", "dig", "host", "nc", "nslookup", "wget" -> "network";
                default -> "other";
            };
        }
    }

    /// A file that was seen to change.
    ///
    /// @param operation such as `create`, `modify`, `delete`
    record FileActivity(Envelope envelope, String operation, String path, OptionalLong byteCount)
            implements SecurityEvent {
        public FileActivity {
            Checks.token("operation", operation);
            Checks.that(!path.isEmpty(), "a file has a path");
        }

        @Override
        public EventType type() {
            return EventType.FILE_ACTIVITY;
        }

        /// `workspace`, `temporary`, `system`, `absolute` or `relative`.
        public String pathClass() {
            if (isUnder("/root") || isUnder("/workspace") || path.contains("/workspace/")) {
                return "workspace";
            }
            if (isUnder("/tmp") || isUnder("/var/tmp")) {
                return "temporary";
            }
            if (isUnder("/etc") || isUnder("/usr") || isUnder("/bin")) {
                return "system";
            }
            return path.startsWith("/") ? "absolute" : "relative";
        }

        private boolean isUnder(String directory) {
            return path.equals(directory) || path.startsWith(directory + "/");
        }
    }

    /// The families that are recorded but that no rule judges: credential, vm, profile, conversation, snapshot.
    ///
    /// @param subjectId of the credential, profile, conversation or snapshot
    record HostActivity(Envelope envelope, EventType type, String operation, Optional<String> subjectId)
            implements SecurityEvent {
        public HostActivity {
            Checks.token("operation", operation);
            Checks.that(
                    switch (type.family()) {
                        case CREDENTIAL, VM, PROFILE, CONVERSATION, SNAPSHOT -> true;
                        case DNS, HTTP, MCP, MODEL, FILE, PROCESS -> false;
                    },
                    "events of family " + type.family().wireName() + " have their own record");
        }
    }

    default EventFamily family() {
        return type().family();
    }

    default SourceEngine sourceEngine() {
        return switch (family()) {
            case DNS, HTTP, MCP, MODEL -> SourceEngine.NETWORK;
            case FILE -> SourceEngine.FILE;
            case PROCESS -> SourceEngine.PROCESS;
            case CREDENTIAL -> SourceEngine.SECURITY;
            case VM, SNAPSHOT -> SourceEngine.VM;
            case PROFILE -> SourceEngine.PROFILE;
            case CONVERSATION -> SourceEngine.CONVERSATION;
        };
    }

    /// What the compact constructors above demand; messages never repeat the value, which the guest chose.
    final class Checks {
        private Checks() {}

        static void that(boolean holds, String message) {
            if (!holds) {
                throw new IllegalArgumentException(message);
            }
        }

        static void oneOf(String what, String value, String... allowed) {
            for (String known : allowed) {
                if (known.equals(value)) {
                    return;
                }
            }
            that(false, what + " is one of " + String.join(", ", allowed));
        }

        static void token(String what, String value) {
            if (!Headers.isName(value) || value.length() > 128) {
                that(false, what.toLowerCase(Locale.ROOT) + " is one word");
            }
        }

        /// No spaces, no control characters: they would end the request line or hide in a log.
        static void visible(String what, String value) {
            for (int i = 0; i < value.length(); i++) {
                char c = value.charAt(i);
                if (c <= ' ' || c == 127) {
                    that(false, "the " + what + " has a space or control character");
                }
            }
        }
    }
}
