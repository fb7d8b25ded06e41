package dev.capsem.network;

import dev.capsem.broker.GrantMode;
import dev.capsem.broker.Grants;
import dev.capsem.broker.Held;
import dev.capsem.broker.Placeholder;
import dev.capsem.broker.SecretGrant;
import dev.capsem.broker.SecretPlace;
import dev.capsem.broker.SecretValue;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Grants for tests: one secret, its stand-in, and servers that say back what they hear.
public final class Brokerage {
    static final String VALUE = "ghp_VALUE0123456789abcdefghijKLMNOPqrst";
    public static final String STAND_IN = "ghp_stand0in123456789ABCDEFGHIJklmnopqr";

    private Brokerage() {}

    public static Grants grants(String... places) {
        return grants(GrantMode.PLACEHOLDER, Optional.empty(), false, places);
    }

    static Grants grants(GrantMode mode, Optional<String> format, boolean allowsPlainHttp, String... places) {
        List<SecretPlace> read = Arrays.stream(places)
                .map(text -> ((SecretPlace.Parsed.Read) SecretPlace.parse(text)).place())
                .toList();
        SecretGrant grant = new SecretGrant(
                "forge", List.of(Door.HOST), read, Set.of(), List.of(), mode, format, 1, allowsPlainHttp);
        return Grants.of(List.of(
                new Held(grant, new Placeholder(STAND_IN), Optional.of(SecretValue.of(VALUE)), Optional.empty())));
    }

    static Door.Setup setup(Grants grants) {
        Door.Setup setup = new Door.Setup();
        setup.grants = grants;
        return setup;
    }

    /// Says back everything: head, then body.
    static FullHttpResponse echo(FullHttpRequest request) {
        StringBuilder said = new StringBuilder(request.method() + " " + request.uri() + "\n");
        request.headers()
                .forEach(field -> said.append(field.getKey())
                        .append(": ")
                        .append(field.getValue())
                        .append('\n'));
        said.append('\n').append(request.content().toString(StandardCharsets.UTF_8));
        return answer(said.toString());
    }

    static FullHttpResponse answer(String text) {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        FullHttpResponse response =
                new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, Unpooled.wrappedBuffer(body));
        response.headers().set("content-type", "text/plain").set("content-length", body.length);
        return response;
    }

    static String get(String path, String... fields) {
        StringBuilder request = new StringBuilder("GET " + path + " HTTP/1.1\r\nHost: " + Door.HOST + "\r\n");
        for (String field : fields) {
            request.append(field).append("\r\n");
        }
        return request.append("\r\n").toString();
    }

    static String post(String path, String body, String... fields) {
        return get(path, fields)
                        .replaceFirst("GET", "POST")
                        .replaceFirst("\r\n\r\n$", "\r\nContent-Length: " + body.length() + "\r\n\r\n")
                + body;
    }
}
