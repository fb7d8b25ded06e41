package dev.capsem.network.http.head;

import dev.capsem.events.security.Body;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.exchange.http.Refusal;
import dev.capsem.network.address.AddressLiterals;
import dev.capsem.network.address.NameLedger;
import dev.capsem.network.http.codec.Tokens;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// A request's head, read: whom it is for and what it wants.
///
/// @param path as sent, without the query
/// @param headers without those that Netty adds to an HTTP/2 request, and those that end at this connection
public record RequestHead(
        String method, String host, int port, String path, Optional<String> query, Headers headers, boolean isUpgrade) {
    /// What Netty's HTTP/2 codec adds to a message; never anything a peer has a right to set.
    static final Set<String> CODEC_HEADERS = Set.of(
            "x-http2-stream-id",
            "x-http2-scheme",
            "x-http2-path",
            "x-http2-stream-promise-id",
            "x-http2-stream-dependency-id",
            "x-http2-stream-weight");

    public sealed interface Parsed {}

    public record Good(RequestHead head) implements Parsed {}

    public record Bad(Refusal refusal) implements Parsed {}

    public static Parsed parse(HttpRequest request, ConnectionFacts facts, NameLedger ledger) {
        if (facts.refusal().isPresent()) {
            return new Bad(facts.refusal().get());
        }
        List<String> hosts = request.headers().getAll(HttpHeaderNames.HOST);
        String target = request.uri();
        boolean isAbsolute = target.regionMatches(
                true, 0, facts.scheme() + "://", 0, facts.scheme().length() + 3);
        if (hosts.size() > 1 || (hosts.isEmpty() && !isAbsolute)) {
            return malformed(hosts.isEmpty() ? "the Host header is missing" : "more than one Host header");
        }
        Optional<Authority> authority;
        String originForm = target;
        if (isAbsolute) {
            String rest = target.substring(facts.scheme().length() + 3);
            int slash = endOfAuthority(rest);
            authority = Authority.parse(rest.substring(0, slash));
            originForm = rest.substring(slash);
            originForm = originForm.startsWith("/") ? originForm : "/" + originForm;
            if (!hosts.isEmpty() && !Authority.parse(hosts.get(0)).equals(authority)) {
                return malformed("the target and the Host header name different hosts");
            }
        } else {
            authority = Authority.parse(hosts.get(0));
        }
        if (authority.isEmpty()) {
            return malformed("the Host header is not a valid name or IP address");
        }
        boolean isAsterisk = originForm.equals("*") && request.method().name().equals("OPTIONS");
        if (!isAsterisk && !originForm.startsWith("/")) {
            return malformed("the target is not a path");
        }
        Optional<Refusal> mismatch = mismatch(authority.get(), facts, ledger, isAbsolute && !facts.isTls());
        if (mismatch.isPresent()) {
            return new Bad(mismatch.get());
        }
        int usual = facts.isTls() ? 443 : 80;
        int port = isAbsolute && facts.name().isEmpty()
                ? authority.get().port().orElse(usual)
                : facts.portOr(authority.get().port().orElse(usual));
        if (!Tokens.isVisibleAscii(originForm)) {
            return malformed("the target has other characters than visible ASCII; escape them");
        }
        int question = originForm.indexOf('?');
        return new Good(new RequestHead(
                request.method().name(),
                authority.get().host(),
                port,
                question < 0 ? originForm : originForm.substring(0, question),
                question < 0 ? Optional.empty() : Optional.of(originForm.substring(question + 1)),
                judged(request.headers()),
                isUpgrade(request)));
    }

    /// The request as rules see it; a literal needs no resolving, so what it leads to is known at once.
    ///
    /// @throws IllegalArgumentException if it cannot be judged
    public SecurityEvent.HttpRequest event(Envelope envelope, ConnectionFacts facts, boolean hasBody) {
        String scheme = isUpgrade ? (facts.isTls() ? "wss" : "ws") : facts.scheme();
        Body body = hasBody ? new Body.Unread(headers.value("content-type")) : Body.NONE;
        SecurityEvent.HttpRequest event =
                new SecurityEvent.HttpRequest(envelope, method, scheme, host, port, path, query, headers, body);
        return AddressLiterals.parse(host).map(event::withAddress).orElse(event);
    }

    /// The host that a request speaks of must be the one its connection was made for: a different one is domain
    /// fronting, or a client that is as confused as our record would be.
    private static Optional<Refusal> mismatch(
            Authority authority, ConnectionFacts facts, NameLedger ledger, boolean isProxied) {
        if (facts.name().isPresent() && !facts.name().get().equals(authority.host())) {
            boolean isUnnamed =
                    facts.isTls() && AddressLiterals.parse(facts.name().get()).isPresent();
            if (isUnnamed && AddressLiterals.parse(authority.host()).isEmpty()) {
                return Optional.of(Refusal.of(
                        421,
                        "host_mismatch",
                        "the TLS connection names no server (SNI), and the request is for a host with a name",
                        "have the client send the server's name in TLS, as in: openssl s_client -servername HOST"));
            }
            return Optional.of(Refusal.of(
                    421,
                    "host_mismatch",
                    "the request is for another host than its connection",
                    "open a connection of its own for each host"));
        }
        if (isProxied && facts.name().isEmpty()) {
            return Optional.empty();
        }
        if (facts.port().isPresent()
                && authority.port().isPresent()
                && authority.port().getAsInt() != facts.port().getAsInt()) {
            return Optional.of(Refusal.of(
                    421,
                    "port_mismatch",
                    "the request is for another port than its connection",
                    "connect to the port that the URL names"));
        }
        return destinationMismatch(authority.host(), facts, ledger);
    }

    public static Optional<Refusal> destinationMismatch(String host, ConnectionFacts facts, NameLedger ledger) {
        if (facts.destination().isEmpty()) {
            return Optional.empty();
        }
        boolean agrees = AddressLiterals.parse(host)
                .map(literal -> literal.equals(facts.destination().get()))
                .orElseGet(() -> ledger.gave(host, facts.destination().get()));
        return agrees
                ? Optional.empty()
                : Optional.of(Refusal.of(
                        403,
                        "destination_mismatch",
                        "the address connected to is not one that this sandbox was given for the host",
                        "resolve the name inside the sandbox, without a hosts file or a resolver of your own"));
    }

    private static Parsed malformed(String reason) {
        return new Bad(Refusal.malformed(400, reason));
    }

    private static int endOfAuthority(String rest) {
        for (int i = 0; i < rest.length(); i++) {
            char c = rest.charAt(i);
            if (c == '/' || c == '?') {
                return i;
            }
        }
        return rest.length();
    }

    private static Headers judged(HttpHeaders headers) {
        Headers fields = headers(headers);
        for (String name : HeadRewrite.forThisHop(headers)) {
            fields = fields.without(name);
        }
        return fields;
    }

    public static Headers headers(HttpHeaders headers) {
        List<Headers.Field> fields = new ArrayList<>(headers.size());
        for (Map.Entry<String, String> entry : headers) {
            String name = entry.getKey().toLowerCase(Locale.ROOT);
            if (!CODEC_HEADERS.contains(name)) {
                fields.add(new Headers.Field(name, entry.getValue()));
            }
        }
        return Headers.of(fields);
    }

    private static boolean isUpgrade(HttpRequest request) {
        return request.headers().containsValue(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE, true)
                && request.headers().containsValue(HttpHeaderNames.UPGRADE, HttpHeaderValues.WEBSOCKET, true);
    }
}
