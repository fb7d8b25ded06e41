package dev.capsem.profiles.grant;

import dev.capsem.profiles.secret.SecretName;
import dev.capsem.source.json.JsonValue;
import dev.capsem.source.tree.Fields;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Reads where the value of a grant is: a reference, or a table for a program or a Vault.
final class SourceReader {
    static final String FORM = "${secret:NAME}, ${env:NAME}, ${file:/path}, ${keyring:service/account},"
            + " { program = [\"op\", \"read\", \"…\"] }, { json = \"/path\", pointer = \"/token\" },"
            + " { vault = \"https://…\", path, field, token }"
            + " or { oauth = \"https://…/token\", client_id, client_secret }";

    private static final Pattern REFERENCE = Pattern.compile("\\$\\{([a-z]+):([^{}]{1,4096})}");
    private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,255}");
    private static final Pattern KEYRING = Pattern.compile("([^/\\p{Cntrl}]{1,256})/([^/\\p{Cntrl}]{1,256})");
    private static final Pattern VAULT_PATH = Pattern.compile("[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*");
    private static final Pattern PRINTABLE = Pattern.compile("[\\x20-\\x7e]{1,256}");
    private static final Pattern POINTER = Pattern.compile("(/([^/~\\p{Cntrl}]|~[01]){1,256}){1,16}");
    private static final int ARGUMENTS_MAX = 64;

    private SourceReader() {}

    /// Empty if something is wrong with it, which is then among the problems.
    static Optional<GrantSource> read(Fields table, String key) {
        Optional<JsonValue> value = table.members().get(key);
        if (value.isPresent() && value.get() instanceof JsonValue.Members) {
            return table.table(key).flatMap(SourceReader::table);
        }
        Optional<String> text = table.text(key);
        Optional<GrantSource> source = text.flatMap(SourceReader::parse);
        if (source.isEmpty() && (text.isPresent() || value.isEmpty())) {
            // The text is not repeated: somebody may have put the credential itself there.
            table.error(key, key + " names a credential and never is one: " + FORM + ".");
        }
        return source;
    }

    static Optional<GrantSource> parse(String text) {
        Matcher matcher = REFERENCE.matcher(text);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        String rest = matcher.group(2);
        return switch (matcher.group(1)) {
            case "secret" ->
                SecretName.isValid(rest) ? Optional.of(new GrantSource.Stored(new SecretName(rest))) : Optional.empty();
            case "env" ->
                VARIABLE.matcher(rest).matches() ? Optional.of(new GrantSource.Variable(rest)) : Optional.empty();
            case "file" ->
                rest.startsWith("/") && rest.indexOf('\0') < 0
                        ? Optional.of(new GrantSource.HostFile(rest))
                        : Optional.empty();
            case "keyring" -> keyring(rest);
            default -> Optional.empty();
        };
    }

    private static Optional<GrantSource> keyring(String text) {
        Matcher matcher = KEYRING.matcher(text);
        return matcher.matches()
                ? Optional.of(new GrantSource.KeyringEntry(matcher.group(1), matcher.group(2)))
                : Optional.empty();
    }

    private static Optional<GrantSource> table(Fields table) {
        if (table.has("program")) {
            table.refuseUnknown(List.of("program"));
            List<String> command = table.texts("program");
            boolean valid = !command.isEmpty()
                    && command.size() <= ARGUMENTS_MAX
                    && !command.getFirst().isBlank()
                    && command.stream().noneMatch(word -> word.indexOf('\0') >= 0);
            if (!valid) {
                table.error("program", "program is a list: the program and its arguments, 1 to " + ARGUMENTS_MAX + ".");
                return Optional.empty();
            }
            return Optional.of(new GrantSource.Program(command));
        }
        if (table.has("oauth")) {
            table.refuseUnknown(List.of("oauth", "client_id", "client_secret", "scope"));
            return clientCredentials(table);
        }
        if (table.has("json")) {
            return json(table);
        }
        table.refuseUnknown(List.of("vault", "path", "field", "token"));
        return vault(table);
    }

    private static Optional<GrantSource> clientCredentials(Fields table) {
        Optional<URI> url = table.text("oauth").flatMap(SourceReader::endpoint);
        Optional<String> id =
                table.text("client_id").filter(text -> PRINTABLE.matcher(text).matches());
        Optional<String> scope = table.text("scope");
        if (url.isEmpty()) {
            table.error(
                    "oauth", "oauth is the https:// address of the token endpoint; http only for a loopback address.");
        }
        if (id.isEmpty()) {
            table.error("client_id", "client_id has 1 to 256 printable characters.");
        }
        if (scope.isPresent() && !PRINTABLE.matcher(scope.get()).matches()) {
            table.error("scope", "scope has 1 to 256 printable characters.");
            return Optional.empty();
        }
        Optional<GrantSource> secret = read(table, "client_secret");
        return url.isPresent() && id.isPresent() && secret.isPresent()
                ? Optional.of(new GrantSource.ClientCredentials(url.get(), id.get(), secret.get(), scope))
                : Optional.empty();
    }

    private static Optional<GrantSource> json(Fields table) {
        table.refuseUnknown(List.of("json", "pointer", "expires"));
        Optional<String> path = table.text("json").filter(text -> text.startsWith("/") && text.indexOf('\0') < 0);
        Optional<String> pointer = table.text("pointer").filter(SourceReader::isPointer);
        Optional<String> expires = table.text("expires");
        if (path.isEmpty()) {
            table.error("json", "json is the absolute path of a file.");
        }
        if (pointer.isEmpty() || expires.filter(text -> !isPointer(text)).isPresent()) {
            table.error("pointer", "a pointer says where in the file, such as \"/tokens/access_token\".");
            return Optional.empty();
        }
        return path.map(file -> new GrantSource.JsonFile(file, pointer.get(), expires));
    }

    private static boolean isPointer(String text) {
        return POINTER.matcher(text).matches();
    }

    private static Optional<GrantSource> vault(Fields table) {
        Optional<URI> url = table.text("vault").flatMap(SourceReader::server);
        Optional<String> path =
                table.text("path").filter(text -> VAULT_PATH.matcher(text).matches());
        Optional<String> field = table.text("field").filter(text -> !text.isBlank());
        if (url.isEmpty()) {
            table.error("vault", "vault is https://host[:port]; http only for a loopback address.");
        }
        if (path.isEmpty() || field.isEmpty()) {
            table.error("path", "a Vault needs path, such as \"secret/data/deploy\", and field.");
        }
        Optional<GrantSource> token = read(table, "token");
        if (token.isPresent() && token.get() instanceof GrantSource.Vault) {
            table.error("token", "the token of a Vault does not come from a Vault.");
            return Optional.empty();
        }
        boolean isWhole = url.isPresent() && path.isPresent() && field.isPresent() && token.isPresent();
        return isWhole
                ? Optional.of(new GrantSource.Vault(url.get(), path.get(), field.get(), token.get()))
                : Optional.empty();
    }

    private static Optional<URI> server(String text) {
        return endpoint(text)
                .filter(uri -> uri.getRawPath().isEmpty() || uri.getRawPath().equals("/"));
    }

    private static Optional<URI> endpoint(String text) {
        try {
            URI uri = new URI(text);
            boolean isBare = uri.getHost() != null
                    && uri.getRawUserInfo() == null
                    && uri.getRawQuery() == null
                    && uri.getRawFragment() == null;
            boolean isSafe = "https".equals(uri.getScheme())
                    || ("http".equals(uri.getScheme())
                            && List.of("127.0.0.1", "localhost", "[::1]").contains(String.valueOf(uri.getHost())));
            return isBare && isSafe ? Optional.of(uri) : Optional.empty();
        } catch (URISyntaxException malformed) {
            return Optional.empty();
        }
    }
}
