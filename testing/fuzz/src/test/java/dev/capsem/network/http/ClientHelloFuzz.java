package dev.capsem.network.http;

import dev.capsem.fuzz.Property;
import dev.capsem.network.http.head.Authority;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.AbstractSniHandler;
import io.netty.util.concurrent.Future;
import java.util.Optional;

/// Whom a ClientHello is for, by the parser and the limit of [TlsStart]; and the hosts of Host and CONNECT.
public final class ClientHelloFuzz {
    private static final int CLIENT_HELLO_BYTES_MAX = 64 * 1024;

    private ClientHelloFuzz() {}

    private static final class Names extends AbstractSniHandler<String> {
        private String told = "nothing yet";

        Names() {
            super(CLIENT_HELLO_BYTES_MAX, 0);
        }

        @Override
        protected Future<String> lookup(ChannelHandlerContext ctx, String serverName) {
            Optional<String> host = Optional.ofNullable(serverName).flatMap(Authority::host);
            host.ifPresent(ClientHelloFuzz::isPlain);
            told = "for " + serverName + " as " + host;
            return ctx.executor().newSucceededFuture(told);
        }

        @Override
        protected void onLookupComplete(ChannelHandlerContext ctx, String serverName, Future<String> found) {
            ctx.pipeline().remove(this);
        }
    }

    public static void fuzzerTestOneInput(byte[] data) {
        Property.same(story(new byte[][] {data}), story(Property.pieces(data)), "under another split");
        String text = new String(data, java.nio.charset.StandardCharsets.ISO_8859_1);
        Authority.parse(text).ifPresent(authority -> {
            isPlain(authority.host());
            String again = (authority.host().indexOf(':') >= 0 ? "[" + authority.host() + "]" : authority.host())
                    + (authority.port().isPresent() ? ":" + authority.port().getAsInt() : "");
            Property.same(Authority.parse(again), Optional.of(authority), "an authority written again");
        });
    }

    private static void isPlain(String host) {
        Property.holds(
                !host.isEmpty()
                        && host.length() <= 253
                        && host.chars()
                                .allMatch(c ->
                                        (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || "-_.:".indexOf(c) >= 0),
                "not a host: " + host);
    }

    private static String story(byte[][] pieces) {
        Names names = new Names();
        EmbeddedChannel channel = new EmbeddedChannel(names);
        try {
            for (byte[] piece : pieces) {
                channel.writeInbound(Unpooled.copiedBuffer(piece));
            }
        } catch (DecoderException malformed) {
            // What came before a broken record depends on the split only if a name was told by then.
            return names.told.equals("nothing yet") ? "malformed" : names.told;
        } finally {
            try {
                channel.finishAndReleaseAll();
            } catch (DecoderException malformed) {
                // Said once.
            }
        }
        return names.told;
    }
}
