package dev.capsem.cli.diagnose;

import dev.capsem.client.io.ServiceClient;
import java.util.Optional;

/// The path of a request, with the parameters that were given.
final class Target {
    private final StringBuilder text;
    private boolean hasQuery;

    Target(String path) {
        text = new StringBuilder(path);
    }

    static Target of(String route, String id) {
        return new Target(route + ServiceClient.encode(id));
    }

    Target with(String name, Optional<?> value) {
        if (value.isPresent()) {
            text.append(hasQuery ? '&' : '?').append(name).append('=');
            text.append(ServiceClient.encode(value.get().toString()));
            hasQuery = true;
        }
        return this;
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
