package dev.capsem.process.network;

import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.traffic.ExchangeObserver;
import dev.capsem.events.traffic.ModelTap;
import dev.capsem.events.vocabulary.IdSource;
import dev.capsem.llm.ModelEndpoint;
import dev.capsem.llm.ModelObserver;
import dev.capsem.llm.trace.TraceState;
import dev.capsem.network.record.Redaction;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.LoggerFactory;

/// Knows the model endpoints of the profile in force, which may change while the sandbox runs; conversations go on.
final class ProfiledObserver implements ExchangeObserver {
    private final Supplier<List<ModelEndpoint>> endpoints;

    /// Replaced as a whole; two threads may both make it anew, which changes nothing.
    private volatile Known known;

    private record Known(List<ModelEndpoint> endpoints, ModelObserver observer) {}

    ProfiledObserver(Supplier<List<ModelEndpoint>> endpoints, IdSource ids, TraceState traces) {
        this.endpoints = endpoints;
        List<ModelEndpoint> now = endpoints.get();
        this.known = new Known(now, new ModelObserver(now, ids, traces, Redaction::mask, ProfiledObserver::unknown));
    }

    private static void unknown(String provider, String kind) {
        LoggerFactory.getLogger(ProfiledObserver.class)
                .info("a model reply of {} has an unknown event: {}; it was counted and not read", provider, kind);
    }

    @Override
    public Optional<ModelTap> modelCall(SecurityEvent.HttpRequest head) {
        List<ModelEndpoint> now = endpoints.get();
        Known current = known;
        if (!current.endpoints().equals(now)) {
            current = new Known(now, current.observer().withEndpoints(now));
            known = current;
        }
        return current.observer().modelCall(head);
    }
}
