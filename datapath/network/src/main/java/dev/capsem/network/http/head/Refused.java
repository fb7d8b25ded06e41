package dev.capsem.network.http.head;

import dev.capsem.events.Judgement;
import dev.capsem.events.RecordedExchange;
import dev.capsem.events.ResolvedEvent;
import dev.capsem.events.row.Caller;
import dev.capsem.events.row.NetRow;
import dev.capsem.events.row.Outcome;
import dev.capsem.events.row.PolicyOutcome;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.events.vocabulary.FinalAction;
import dev.capsem.events.vocabulary.SourceEngine;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/// How to put on record what was never fit to be judged.
public final class Refused {
    /// Stands where no host is known.
    public static final String UNKNOWN_HOST = "unknown";

    /// No method of the standards has even twenty.
    private static final int METHOD_CHARS_MAX = 128;

    private Refused() {}

    /// The nearest thing to an event that can be made of a request nobody should believe.
    public static SecurityEvent.HttpRequest asEvent(Envelope envelope, HttpRequest received, ConnectionFacts facts) {
        Optional<String> claimed = Optional.ofNullable(received.headers().get(HttpHeaderNames.HOST))
                .flatMap(Authority::parse)
                .map(Authority::host);
        int question = received.uri().indexOf('?');
        String path = question < 0 ? received.uri() : received.uri().substring(0, question);
        boolean isPath = path.startsWith("/") && path.chars().allMatch(c -> c > ' ' && c < 127 && c != '#');
        String method = received.method().name();
        return event(
                envelope,
                Headers.isName(method) && method.length() <= METHOD_CHARS_MAX ? method : "UNKNOWN",
                facts,
                facts.name().or(() -> claimed),
                isPath ? path : "/",
                headers(received));
    }

    /// Stands where not even a head could be read.
    public static HttpRequest nothing() {
        return new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.valueOf("UNKNOWN"), "/");
    }

    private static SecurityEvent.HttpRequest event(
            Envelope envelope,
            String method,
            ConnectionFacts facts,
            Optional<String> host,
            String path,
            Headers headers) {
        String known = host.or(() -> facts.destination().map(InetAddress::getHostAddress))
                .orElse(UNKNOWN_HOST);
        return new SecurityEvent.HttpRequest(
                envelope,
                method,
                facts.scheme(),
                known,
                facts.portOr(facts.isTls() ? 443 : 80),
                path,
                Optional.empty(),
                headers,
                Body.NONE);
    }

    private static Headers headers(HttpRequest received) {
        try {
            return RequestHead.headers(received.headers());
        } catch (IllegalArgumentException unfit) {
            return Headers.NONE;
        }
    }

    /// A connection that never became HTTP.
    ///
    /// @param type the connection type, as in `net_events`
    /// @param open for how long
    public static RecordedExchange connection(
            Envelope envelope,
            Caller caller,
            String host,
            int port,
            String type,
            Outcome outcome,
            Duration open,
            String reason) {
        FinalAction action = outcome == Outcome.ERROR ? FinalAction.ERROR : FinalAction.DROP_CONNECTION;
        return RecordedExchange.of(
                ResolvedEvent.plain(
                        envelope.id(),
                        envelope.at(),
                        EventType.HTTP_REQUEST,
                        Judgement.decided(SourceEngine.NETWORK, action),
                        envelope.attribution(),
                        envelope.correlation()),
                new NetRow(
                        envelope.at(),
                        host,
                        port,
                        outcome,
                        caller,
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        OptionalInt.empty(),
                        0,
                        0,
                        open,
                        Optional.empty(),
                        NetRow.Previews.NONE,
                        type,
                        new PolicyOutcome(
                                Optional.of("enforce"), Optional.of("block"), Optional.empty(), Optional.of(reason)),
                        Optional.empty()));
    }
}
