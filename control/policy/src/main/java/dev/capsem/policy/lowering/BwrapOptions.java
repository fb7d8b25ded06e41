package dev.capsem.policy.lowering;

import java.util.List;
import java.util.Optional;

/// @param systemMounts directories of the host every program needs, bound read-only where they exist
/// @param exposeDev a minimal /dev; absent means only for a nested sandbox, which needs it
/// @param strict fail when the policy holds a kind the target cannot lower
public record BwrapOptions(List<String> systemMounts, Optional<Boolean> exposeDev, boolean strict) {
    public static final BwrapOptions DEFAULT = new BwrapOptions(
            List.of("/usr", "/lib", "/lib64", "/bin", "/sbin", "/etc/ssl", "/etc/ca-certificates"),
            Optional.empty(),
            true);

    public BwrapOptions {
        systemMounts = List.copyOf(systemMounts);
    }

    public BwrapOptions permissive() {
        return new BwrapOptions(systemMounts, exposeDev, false);
    }
}
