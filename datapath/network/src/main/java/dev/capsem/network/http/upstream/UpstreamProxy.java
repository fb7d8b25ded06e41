package dev.capsem.network.http.upstream;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;

/// A company's proxy that every upstream connection goes through.
///
/// @param host a name or an address, without brackets
public record UpstreamProxy(String host, int port, Optional<Credentials> credentials) {
    public UpstreamProxy {
        if (host.isEmpty() || port < 1 || port > 65_535) {
            throw new IllegalArgumentException("a proxy has a host and a port");
        }
    }

    /// Our credentials for the proxy. Never shown.
    public static final class Credentials {
        private final String header;

        /// @param userAndPassword with a colon between them
        public Credentials(String userAndPassword) {
            this.header =
                    "Basic " + Base64.getEncoder().encodeToString(userAndPassword.getBytes(StandardCharsets.UTF_8));
        }

        /// The value of Proxy-Authorization (RFC 7617), for those that send it.
        public String header() {
            return header;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Credentials credentials && header.equals(credentials.header);
        }

        @Override
        public int hashCode() {
            return header.hashCode();
        }

        @Override
        public String toString() {
            return "***";
        }
    }
}
