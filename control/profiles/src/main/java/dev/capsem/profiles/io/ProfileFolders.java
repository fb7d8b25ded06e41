package dev.capsem.profiles.io;

import java.nio.file.Path;
import java.util.List;

/// Where the layers lie.
///
/// @param user the person's own profiles, `<id>.toml`
/// @param corp directories of signed payloads, `<name>.toml` with `<name>.toml.minisig`; the first has most say
/// @param corpKeys files of minisign public keys; the first that exists is trusted
/// @param lastGood where verified payloads are kept
/// @param chosen a file that holds the id of the default profile
/// @param registries what package managers reported at set-up
/// @param userHome where the settings of other AI tools are
public record ProfileFolders(
        Path user, List<Path> corp, List<Path> corpKeys, Path lastGood, Path chosen, Path registries, Path userHome) {
    public ProfileFolders {
        corp = List.copyOf(corp);
        corpKeys = List.copyOf(corpKeys);
    }

    /// The usual places. What the administrator of the machine set up comes first.
    ///
    /// @param home `$CAPSEM_HOME`
    /// @param machine `/etc/capsem`
    public static ProfileFolders of(Path home, Path machine, Path userHome) {
        return new ProfileFolders(
                home.resolve("profiles"),
                List.of(machine.resolve("corp"), home.resolve("corp")),
                List.of(machine.resolve("corp.pub"), home.resolve("corp.pub")),
                home.resolve("corp").resolve("last-good"),
                home.resolve("profile"),
                home.resolve("registries.json"),
                userHome);
    }
}
