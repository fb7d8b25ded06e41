package dev.capsem.sandboxserver.gateway;

import java.util.Optional;

/// Where the gateway serves at this moment, or why it does not.
public final class GatewayEndpoint {
    private record Now(Optional<String> url, Optional<String> problem) {}

    private volatile Now now = new Now(Optional.empty(), Optional.empty());

    public void open(String url) {
        now = new Now(Optional.of(url), Optional.empty());
    }

    public void closed() {
        now = new Now(Optional.empty(), Optional.empty());
    }

    public void failed(String problem) {
        now = new Now(Optional.empty(), Optional.of(problem));
    }

    public Optional<String> url() {
        return now.url;
    }

    public Optional<String> problem() {
        return now.problem;
    }
}
