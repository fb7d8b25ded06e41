package dev.capsem.profiles.grant;

import dev.capsem.profiles.secret.SecretName;
import java.net.URI;
import java.util.List;
import java.util.Optional;

/// Where the value of a grant is.
public sealed interface GrantSource {
    /// As profiles and replies spell it; never a value.
    String text();

    /// In the store that `capsem secret set` fills.
    record Stored(SecretName name) implements GrantSource {
        @Override
        public String text() {
            return "${secret:" + name + "}";
        }
    }

    /// In the environment in which the service was started.
    record Variable(String name) implements GrantSource {
        @Override
        public String text() {
            return "${env:" + name + "}";
        }
    }

    /// In a file of this host, read anew each time.
    record HostFile(String path) implements GrantSource {
        @Override
        public String text() {
            return "${file:" + path + "}";
        }
    }

    /// One text of a JSON file of this host, read anew each time: where programs keep the token of a login.
    ///
    /// @param pointer where the value is (RFC 6901)
    /// @param expires where the time is until which it holds: RFC 3339, or seconds or milliseconds since 1970
    record JsonFile(String path, String pointer, Optional<String> expires) implements GrantSource {
        @Override
        public String text() {
            return "json " + path + " " + pointer;
        }
    }

    /// In the Secret Service keyring of this account (`secret-tool`).
    record KeyringEntry(String service, String account) implements GrantSource {
        @Override
        public String text() {
            return "${keyring:" + service + "/" + account + "}";
        }
    }

    /// What a program of this host prints: the value, or JSON with `value` and `expires`.
    record Program(List<String> command) implements GrantSource {
        public Program {
            command = List.copyOf(command);
        }

        @Override
        public String text() {
            return "program " + String.join(" ", command);
        }
    }

    /// What a server of OAuth gives a client for its own credentials (RFC 6749 §4.4): a token that ends, and is fetched
    /// again. Nobody but this process ever has the client's secret.
    ///
    /// @param url of the token endpoint
    /// @param clientSecret where that is
    record ClientCredentials(URI url, String clientId, GrantSource clientSecret, Optional<String> scope)
            implements GrantSource {
        @Override
        public String text() {
            return "oauth " + url + " " + clientId;
        }
    }

    /// In a server that speaks the HTTP API of Vault.
    ///
    /// @param path below `/v1/`, such as `secret/data/deploy`
    /// @param token where the token for that server is
    record Vault(URI url, String path, String field, GrantSource token) implements GrantSource {
        @Override
        public String text() {
            return "vault " + url + " " + path + " " + field;
        }
    }
}
