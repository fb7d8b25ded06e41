package dev.capsem.profiles.grant;

import dev.capsem.broker.GrantMode;
import dev.capsem.broker.SecretGrant;
import dev.capsem.broker.SecretPlace;
import java.util.Optional;

/// A grant as a profile has it: where its value is, where it may go, and how programs in the sandbox find its stand-in.
///
/// @param variable of every command's environment
/// @param shape what the stand-in begins with; like the value's own beginning if empty
public record ProfileGrant(
        SecretGrant grant,
        GrantSource source,
        Optional<String> variable,
        Optional<PlacedFile> file,
        Optional<String> shape) {
    /// A file that is put into the sandbox.
    ///
    /// @param path below `/root`
    /// @param text with `{}` where the stand-in goes
    public record PlacedFile(String path, String text) {}

    public String name() {
        return grant.name();
    }

    public boolean coversHost(String host) {
        return grant.coversHost(host);
    }

    /// @param path without its query
    public boolean covers(String method, String path) {
        return grant.covers(method, path);
    }

    /// Whether this is one of its places, as a profile spells it.
    public boolean names(String place) {
        return SecretPlace.parse(place) instanceof SecretPlace.Parsed.Read(SecretPlace read)
                && grant.places().contains(read);
    }

    public boolean isSet() {
        return grant.mode() == GrantMode.SET;
    }
}
