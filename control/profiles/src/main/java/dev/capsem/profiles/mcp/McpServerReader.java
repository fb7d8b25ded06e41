package dev.capsem.profiles.mcp;

import dev.capsem.policy.Capgate;
import dev.capsem.policy.diagnostic.CompilationError;
import dev.capsem.profiles.secret.SecretName;
import dev.capsem.profiles.secret.SecretRef;
import dev.capsem.profiles.secret.SecretTemplate;
import dev.capsem.source.tree.Fields;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Reads one server entry, from a profile's table or from the body of a request.
public final class McpServerReader {
    private static final Set<String> KEYS =
            Set.of("type", "command", "args", "env", "url", "headers", "bearerToken", "capsem");
    private static final Set<String> CAPSEM_KEYS =
            Set.of("enabled", "editable", "allowed_tools", "capabilities", "credential_refs");
    private static final Pattern HEADER = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]+");
    private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    /// Names of headers and variables whose values are credentials by custom.
    private static final Pattern SENSITIVE =
            Pattern.compile("auth|token|secret|passw|credential|cookie|api[-_]?key|private[-_]?key|^key$|[-_]key$");

    /// How the tokens of well-known services begin.
    private static final Pattern TOKEN_LIKE =
            Pattern.compile("(sk-|ghp_|gho_|ghs_|github_pat_|glpat-|xox[abprs]-|AKIA|AIza|eyJ)[A-Za-z0-9_.-]{8,}");

    /// How some clients say where a credential is.
    private static final Pattern ENVIRONMENT = Pattern.compile("env:[A-Za-z_][A-Za-z0-9_]*");

    private final Fields fields;
    private final ServerName name;
    private final String origin;
    private final int before;

    private McpServerReader(ServerName name, String origin, Fields fields) {
        this.name = name;
        this.origin = origin;
        this.fields = fields;
        this.before = fields.problems().list().size();
    }

    /// Empty if something is wrong with it, which is then among the problems.
    public static Optional<McpServer> read(ServerName name, String origin, boolean editableDefault, Fields fields) {
        return new McpServerReader(name, origin, fields).read(editableDefault);
    }

    private Optional<McpServer> read(boolean editableDefault) {
        for (String misplaced : List.of("enabled", "editable", "allowed_tools", "capabilities")) {
            if (fields.has(misplaced)) {
                fields.error(misplaced, misplaced + " belongs under [mcpServers." + name + ".capsem].");
            }
        }
        List<String> known = new ArrayList<>(KEYS);
        known.addAll(CAPSEM_KEYS);
        fields.refuseUnknown(known);
        Optional<Fields> capsem = fields.table("capsem");
        capsem.ifPresent(section -> section.refuseUnknown(CAPSEM_KEYS));
        List<String> refs =
                capsem.map(section -> section.texts("credential_refs")).orElse(List.of());
        refs.stream()
                .filter(ref -> !SecretName.isValid(ref))
                .findFirst()
                .ifPresent(_ -> capsem.get().error("credential_refs", "a secret's name has " + SecretName.FORM + "."));
        List<String> capabilities =
                capsem.map(section -> section.texts("capabilities")).orElse(List.of());
        capabilities.forEach(capability -> checkCapability(capsem.get(), capability));
        Optional<ServerTransport> transport = transport(refs);
        if (transport.isPresent() && transport.get() instanceof ServerTransport.Http && !capabilities.isEmpty()) {
            capsem.get().error("capabilities", "capabilities are for servers with a command; this one has a url.");
        }
        if (transport.isEmpty()
                || fields.problems().list().stream().skip(before).anyMatch(p -> p.isError())) {
            return Optional.empty();
        }
        McpServer server = new McpServer(
                name,
                transport.get(),
                capsem.flatMap(section -> section.flag("enabled")).orElse(true),
                capsem.flatMap(section -> section.flag("editable")).orElse(editableDefault),
                capsem.map(section -> section.texts("allowed_tools")).orElse(List.of()),
                capabilities,
                origin,
                Optional.empty());
        for (String ref : refs) {
            if (server.credentialRefs().stream().noneMatch(used -> used.text().equals("${secret:" + ref + "}"))) {
                capsem.get()
                        .warning("credential_refs", ref + " is not used; write ${secret:" + ref + "} where it goes.");
            }
        }
        if (server.unsupportedStdio()) {
            fields.warning(
                    "command",
                    "mcpServers." + name + " is not started: it is a program, and nothing says what that may do. Add"
                            + " capabilities = [...] under [mcpServers." + name + ".capsem].");
        }
        return Optional.of(
                server.unsupportedStdio()
                        ? server.withObstacle("it starts a program, and nothing says what that may do. Add"
                                + " capabilities = [...] under [mcpServers." + name + ".capsem].")
                        : server);
    }

    private static void checkCapability(Fields capsem, String capability) {
        try {
            Capgate.parseCapability(capability);
        } catch (CompilationError error) {
            capsem.error(
                    "capabilities",
                    capability + ": " + error.problems().getFirst().text() + ".");
        }
    }

    private Optional<ServerTransport> transport(List<String> refs) {
        Optional<String> command = fields.text("command");
        Optional<String> url = fields.text("url");
        if (command.isPresent() == url.isPresent()) {
            fields.error(
                    "url",
                    "mcpServers." + name + " has "
                            + (command.isPresent() ? "both command and url" : "no command and no url")
                            + "; it needs exactly one of them.");
            return Optional.empty();
        }
        String fits = command.isPresent() ? "stdio" : "http";
        String type = fields.text("type").orElse(fits);
        boolean agrees = command.isPresent()
                ? type.equals("stdio")
                : Set.of("http", "sse").contains(type);
        if (!agrees) {
            fields.error("type", "type is " + (command.isPresent() ? "stdio" : "http or sse") + " here.");
        }
        List<String> foreign = command.isPresent() ? List.of("headers", "bearerToken") : List.of("args", "env");
        for (String key : foreign) {
            if (fields.has(key)) {
                fields.error(key, key + " is for servers with a " + (command.isPresent() ? "url" : "command") + ".");
            }
        }
        return command.isPresent() ? stdio(command.get(), refs) : http(url.get(), type.equals("sse"), refs);
    }

    /// A secret that is named and stands nowhere reaches the program under its own name: `github-token`
    /// as `GITHUB_TOKEN`.
    private Optional<ServerTransport> stdio(String command, List<String> refs) {
        if (command.isBlank() || command.chars().anyMatch(c -> c < ' ')) {
            fields.error("command", "command names a program.");
        }
        List<SecretTemplate> args = new ArrayList<>();
        for (String text : fields.texts("args")) {
            template("args", "an argument", text, false).ifPresent(args::add);
        }
        Map<String, SecretTemplate> env = templates("env", VARIABLE);
        for (String ref : refs) {
            String variable = ref.toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9]", "_");
            if (SecretName.isValid(ref) && VARIABLE.matcher(variable).matches() && !stands(ref, args, env.values())) {
                env.putIfAbsent(variable, SecretTemplate.of(new SecretRef.Stored(new SecretName(ref))));
            }
        }
        return Optional.of(new ServerTransport.Stdio(command, args, env));
    }

    private static boolean stands(String ref, Collection<SecretTemplate> some, Collection<SecretTemplate> more) {
        SecretRef wanted = new SecretRef.Stored(new SecretName(ref));
        return Stream.concat(some.stream(), more.stream())
                .anyMatch(template -> template.references().contains(wanted));
    }

    private Optional<ServerTransport> http(String text, boolean isSse, List<String> refs) {
        Optional<SecretTemplate> url = template("url", "url", text, false);
        url.flatMap(McpServerReader::urlFault).ifPresent(fault -> fields.error("url", fault));
        Optional<SecretTemplate> token =
                fields.text("bearerToken").flatMap(value -> template("bearerToken", "bearerToken", value, true));
        Map<String, SecretTemplate> headers = templates("headers", HEADER);
        boolean isAuthorized = headers.keySet().stream().anyMatch("authorization"::equalsIgnoreCase);
        if (token.isEmpty()
                && !isAuthorized
                && refs.size() == 1
                && SecretName.isValid(refs.getFirst())
                && !stands(refs.getFirst(), headers.values(), url.stream().toList())) {
            token = Optional.of(SecretTemplate.of(new SecretRef.Stored(new SecretName(refs.getFirst()))));
        }
        boolean hasSecrets = token.isPresent() || headers.values().stream().anyMatch(value -> !value.isPlain());
        if (url.isPresent() && hasSecrets && isOpen(url.get().text())) {
            fields.error("url", "a token would travel unencrypted: use https, or a server on this machine.");
        }
        Optional<SecretTemplate> bearer = token;
        return url.map(template -> new ServerTransport.Http(template, isSse, headers, bearer));
    }

    private static boolean isOpen(String url) {
        return url.startsWith("http://") && !url.matches("http://(localhost|127\\.0\\.0\\.1|\\[::1\\])([:/].*)?");
    }

    private static Optional<String> urlFault(SecretTemplate url) {
        String begin = url.pieces().isEmpty() || !(url.pieces().getFirst() instanceof SecretTemplate.Piece.Words words)
                ? ""
                : words.text();
        if (!begin.matches("https?://[^/?#]+([/?].*)?")
                || (!url.isPlain() && !begin.matches("https?://[^/?#]+[/?].*"))) {
            return Optional.of("url begins with https://host or http://host, written out.");
        }
        try {
            URI uri = new URI(begin.replace('|', '_'));
            if (uri.getHost() == null || uri.getRawUserInfo() != null || uri.getRawFragment() != null) {
                return Optional.of("url names a host, without user, password or fragment.");
            }
            return Optional.empty();
        } catch (URISyntaxException malformed) {
            return Optional.of("url is not a URL.");
        }
    }

    private Map<String, SecretTemplate> templates(String key, Pattern names) {
        Map<String, SecretTemplate> templates = new LinkedHashMap<>();
        fields.textMap(key).forEach((entry, text) -> {
            if (!names.matcher(entry).matches()) {
                fields.error(key, "a name under " + key + " is not valid.");
                return;
            }
            boolean isSensitive =
                    SENSITIVE.matcher(entry.toLowerCase(Locale.ROOT)).find();
            template(key, key + "." + entry, text, isSensitive).ifPresent(value -> templates.put(entry, value));
        });
        return templates;
    }

    private Optional<SecretTemplate> template(String key, String what, String text, boolean isSensitive) {
        if (text.chars().anyMatch(c -> c == '\r' || c == '\n' || c == 0)) {
            fields.error(key, what + " holds a line break.");
            return Optional.empty();
        }
        switch (SecretTemplate.parse(isSensitive && ENVIRONMENT.matcher(text).matches() ? "${" + text + "}" : text)) {
            case SecretTemplate.Parsed.Refused refused -> {
                fields.error(key, what + ": " + refused.reason() + ".");
                return Optional.empty();
            }
            case SecretTemplate.Parsed.Ok ok -> {
                SecretTemplate template = ok.template();
                boolean fromHost = template.references().stream().anyMatch(SecretRef.OfHostTool.class::isInstance);
                if (fromHost) {
                    fields.error(key, what + ": a profile names secrets as ${secret:NAME}.");
                    return Optional.empty();
                }
                boolean isWritten = (isSensitive && template.isPlain() && !text.isEmpty())
                        || TOKEN_LIKE.matcher(text).find();
                if (isWritten) {
                    fields.error(
                            key,
                            what + " holds a credential in clear. Run: capsem secret set NAME, then write"
                                    + " ${secret:NAME} here.");
                    return Optional.empty();
                }
                return Optional.of(template);
            }
        }
    }
}
