package dev.capsem.network.http.head;

import dev.capsem.broker.SentHead;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.exchange.http.OutgoingRequest;
import dev.capsem.network.http.codec.Tokens;
import dev.capsem.network.http.upstream.UpstreamOrigin;
import dev.capsem.network.http.upstream.UpstreamProxy;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.AsciiString;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// Turns a head that came in on one leg into the one that goes out on the other.
public final class HeadRewrite {
    private static final List<CharSequence> HOP_BY_HOP = List.of(
            HttpHeaderNames.CONNECTION,
            HttpHeaderNames.UPGRADE,
            AsciiString.cached("keep-alive"),
            AsciiString.cached("proxy-connection"),
            AsciiString.cached("proxy-authorization"),
            AsciiString.cached("http2-settings"));

    /// As Netty's own names: they know their hash.
    private static final List<CharSequence> OF_THE_CODEC = RequestHead.CODEC_HEADERS.stream()
            .<CharSequence>map(AsciiString::cached)
            .toList();

    /// Never removed for being named in Connection: a message is not itself without them.
    private static final Set<String> END_TO_END =
            Set.of("te", "host", "content-length", "transfer-encoding", "content-type", "content-encoding", "trailer");

    private HeadRewrite() {}

    /// @param event the request as it may go on
    /// @param sent its head as it does, secrets included
    /// @param original what the guest's headers were, as rules saw them
    /// @param keepsExpectation whether the upstream is still to be asked before the body is sent
    private static HttpRequest request(
            HttpRequest from,
            SecurityEvent.HttpRequest event,
            SentHead sent,
            Headers original,
            RequestHead head,
            boolean keepsExpectation) {
        String uri = sent.path() + sent.query().map(query -> "?" + query).orElse("");
        HttpHeaders headers = sent.headers().equals(original) ? from.headers().copy() : rebuilt(sent.headers());
        List<String> connection = listed(headers);
        stripHopByHop(headers, connection);
        if (!headers.containsValue(HttpHeaderNames.TE, HttpHeaderValues.TRAILERS, true)) {
            headers.remove(HttpHeaderNames.TE);
        }
        // Nothing follows the body, see BodyChunk.
        headers.remove(HttpHeaderNames.TRAILER);
        if (!keepsExpectation) {
            headers.remove(HttpHeaderNames.EXPECT);
        }
        if (head.isUpgrade()) {
            headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE);
            headers.set(HttpHeaderNames.UPGRADE, HttpHeaderValues.WEBSOCKET);
        }
        if (!headers.contains(HttpHeaderNames.HOST)) {
            headers.set(HttpHeaderNames.HOST, hostHeader(event));
        }
        return new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.valueOf(event.method()), uri, headers);
    }

    /// The request as the exchange says that it goes on.
    public static HttpRequest request(HttpRequest from, RequestHead head, OutgoingRequest to) {
        SecurityEvent.HttpRequest event = to.event();
        SentHead sent = to.filled().orElseGet(() -> new SentHead(event.path(), event.query(), event.headers()));
        HttpRequest outgoing = request(from, event, sent, head.headers(), head, to.keepsExpectation());
        if (!to.keepsExtensions()) {
            outgoing.headers().remove(HttpHeaderNames.SEC_WEBSOCKET_EXTENSIONS);
        }
        to.replaced().ifPresent(length -> replaceBody(outgoing.headers(), length));
        return to.isWhole() ? whole(outgoing) : outgoing;
    }

    /// For a proxy that reads requests itself (RFC 9112 §3.2.2).
    public static void forForwarder(HttpRequest outgoing, UpstreamOrigin origin, UpstreamProxy proxy) {
        String target = outgoing.uri().equals("*") ? "" : outgoing.uri();
        outgoing.setUri(origin.scheme() + "://" + origin.authority() + target);
        proxy.credentials()
                .ifPresent(known -> outgoing.headers().set(HttpHeaderNames.PROXY_AUTHORIZATION, known.header()));
    }

    /// @param hasNoBody whether HTTP says so, whatever the headers say
    public static HttpResponse response(
            HttpResponse from, Optional<Headers> changed, boolean hasNoBody, boolean isHttp2, boolean isHttp10) {
        HttpHeaders headers =
                changed.map(HeadRewrite::rebuilt).orElseGet(() -> from.headers().copy());
        stripHopByHop(headers, listed(headers));
        if (!hasNoBody && !isHttp2) {
            frame(headers, isHttp10);
        } else if (hasNoBody) {
            headers.remove(HttpHeaderNames.TRANSFER_ENCODING);
        }
        return new DefaultHttpResponse(HttpVersion.HTTP_1_1, from.status(), headers);
    }

    /// The fields of a switch of protocols, as the upstream sent them but for what may not go on.
    public static HttpHeaders accepted(HttpHeaders came, Headers clean) {
        if (clean.equals(RequestHead.headers(came))) {
            return came;
        }
        return rebuilt(clean);
    }

    /// A response in one piece, so that on HTTP/2 it ends with its head if there is nothing else.
    public static FullHttpResponse whole(HttpResponse head, LastHttpContent last) {
        return new DefaultFullHttpResponse(
                head.protocolVersion(), head.status(), last.content(), head.headers(), last.trailingHeaders());
    }

    /// A request without content. On HTTP/2 it ends with its head: some servers take what follows for a body, even if
    /// it is empty.
    private static FullHttpRequest whole(HttpRequest head) {
        return new DefaultFullHttpRequest(
                head.protocolVersion(),
                head.method(),
                head.uri(),
                Unpooled.EMPTY_BUFFER,
                head.headers(),
                EmptyHttpHeaders.INSTANCE);
    }

    private static void frame(HttpHeaders headers, boolean isHttp10) {
        if (headers.contains(HttpHeaderNames.TRANSFER_ENCODING)) {
            headers.remove(HttpHeaderNames.CONTENT_LENGTH);
        }
        if (headers.contains(HttpHeaderNames.CONTENT_LENGTH)) {
            return;
        }
        if (isHttp10) {
            headers.remove(HttpHeaderNames.TRANSFER_ENCODING);
        } else {
            headers.set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
        }
    }

    /// For a body that is not the one that came in: no coding, and its own length.
    public static void replaceBody(HttpHeaders headers, int length) {
        headers.remove(HttpHeaderNames.TRANSFER_ENCODING);
        headers.remove(HttpHeaderNames.CONTENT_ENCODING);
        // These vouch for bytes that are no longer there.
        headers.remove(HttpHeaderNames.CONTENT_MD5);
        headers.remove(HttpHeaderNames.ETAG);
        headers.remove(HttpHeaderNames.ACCEPT_RANGES);
        headers.remove("repr-digest");
        headers.remove("digest");
        headers.remove("content-digest");
        headers.set(HttpHeaderNames.CONTENT_LENGTH, length);
    }

    /// Fields that are for this connection only, because its sender says so. Whoever judges must not see them either.
    static List<String> forThisHop(HttpHeaders headers) {
        List<String> names = listed(headers);
        if (names.isEmpty()) {
            return names;
        }
        return names.stream()
                .filter(name -> !END_TO_END.contains(name) && !name.contentEquals(HttpHeaderNames.UPGRADE))
                .toList();
    }

    /// By hand, without streams and patterns: twice for every exchange, and nearly always one word.
    private static List<String> listed(HttpHeaders headers) {
        if (!headers.contains(HttpHeaderNames.CONNECTION)) {
            return List.of();
        }
        List<String> names = new ArrayList<>(1);
        for (String line : headers.getAll(HttpHeaderNames.CONNECTION)) {
            int from = 0;
            while (from <= line.length()) {
                int comma = line.indexOf(',', from);
                int to = comma < 0 ? line.length() : comma;
                String name = line.substring(from, to).strip().toLowerCase(Locale.ROOT);
                if (Tokens.isToken(name)) {
                    names.add(name);
                }
                from = to + 1;
            }
        }
        return names;
    }

    private static void stripHopByHop(HttpHeaders headers, List<String> listed) {
        for (String name : listed) {
            if (!END_TO_END.contains(name)) {
                headers.remove(name);
            }
        }
        HOP_BY_HOP.forEach(headers::remove);
        OF_THE_CODEC.forEach(headers::remove);
    }

    private static HttpHeaders rebuilt(Headers fields) {
        HttpHeaders headers = DefaultHttpHeadersFactory.headersFactory().newHeaders();
        fields.fields().forEach(field -> headers.add(field.name(), field.value()));
        return headers;
    }

    private static String hostHeader(SecurityEvent.HttpRequest event) {
        boolean isTls = event.scheme().equals("https") || event.scheme().equals("wss");
        String shown = event.host().indexOf(':') >= 0 ? "[" + event.host() + "]" : event.host();
        return event.port() == (isTls ? 443 : 80) ? shown : shown + ":" + event.port();
    }
}
