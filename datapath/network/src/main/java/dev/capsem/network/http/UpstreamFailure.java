package dev.capsem.network.http;

import dev.capsem.exchange.http.Refusal;

/// Why no upstream could be had.
final class UpstreamFailure extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient Refusal refusal;

    UpstreamFailure(Refusal refusal) {
        super(refusal.reason(), null, false, false);
        this.refusal = refusal;
    }

    /// Whether another address of the same host may do better.
    boolean isUnreachable() {
        return refusal.code().equals("upstream_unreachable");
    }

    Refusal refusal() {
        return refusal;
    }
}
