package dev.capsem.policy.lowering;

import java.util.Optional;

/// @param readOnlyRootfs mount the image read-only
/// @param user the `--user` value; absent leaves the image's own
/// @param strict fail when the policy holds a kind the target cannot lower
public record DockerOptions(boolean readOnlyRootfs, Optional<String> user, boolean strict) {
    public static final DockerOptions DEFAULT = new DockerOptions(true, Optional.empty(), true);

    public DockerOptions {
        user = user.filter(name -> !name.isEmpty());
    }

    public DockerOptions withReadOnlyRootfs(boolean readOnly) {
        return new DockerOptions(readOnly, user, strict);
    }

    public DockerOptions withUser(String name) {
        return new DockerOptions(readOnlyRootfs, Optional.of(name), strict);
    }

    public DockerOptions permissive() {
        return new DockerOptions(readOnlyRootfs, user, false);
    }
}
