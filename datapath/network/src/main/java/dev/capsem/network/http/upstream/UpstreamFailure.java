package dev.capsem.network.http.upstream;

import dev.capsem.exchange.http.Refusal;

/// Why no upstream could be had.
public final class UpstreamFailure extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient Refusal refusal;

    public UpstreamFailure(Refusal refusal) {
        super(refusal.reason(), null, false, false);
        this.refusal = refusal;
    }

    /// Whether another address of the same host may do better.
    public boolean isUnreachable() {
        return refusal.code().equals("upstream_unreachable");
    }

    public Refusal refusal() {
        return refusal;
    }
}
