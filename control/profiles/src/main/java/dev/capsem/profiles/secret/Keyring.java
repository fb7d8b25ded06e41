package dev.capsem.profiles.secret;

import java.util.Optional;

/// The keyring of this account, where its desktop has one.
public interface Keyring {
    /// For hosts without one.
    Keyring NONE = new Keyring() {
        @Override
        public Optional<Secret> find(String service, String account) {
            return Optional.empty();
        }

        @Override
        public boolean keep(String service, String account, Secret secret) {
            return false;
        }

        @Override
        public void forget(String service, String account) {}
    };

    /// Empty if there is no such entry, or no keyring that opens.
    Optional<Secret> find(String service, String account);

    /// Whether it is kept now.
    boolean keep(String service, String account, Secret secret);

    void forget(String service, String account);
}
