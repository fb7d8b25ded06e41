package dev.capsem.policy.egress;

/// @param hardened also close what the plain form leaves open: see the page of each egress target
public record EgressOptions(EgressKind kind, boolean strict, boolean hardened) {
    public static EgressOptions of(EgressKind kind) {
        return new EgressOptions(kind, true, false);
    }

    public EgressOptions permissive() {
        return new EgressOptions(kind, false, hardened);
    }

    public EgressOptions harden() {
        return new EgressOptions(kind, strict, true);
    }
}
