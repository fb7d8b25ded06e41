package dev.capsem.network.http.upstream;

import dev.capsem.fuzz.Property;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Answers of a company's proxy to CONNECT: one outcome, and what follows the answer is the origin's, to the byte.
public final class ProxyTunnelFuzz {
    private static final UpstreamOrigin ORIGIN =
            new UpstreamOrigin("https", "origin.example", 443, UpstreamOrigin.Speech.AGREED, Optional.empty());
    private static final UpstreamProxy PROXY = new UpstreamProxy("proxy.example", 3128, Optional.empty());

    private ProxyTunnelFuzz() {}

    public static void fuzzerTestOneInput(byte[] data) {
        Property.same(story(new byte[][] {data}), story(Property.pieces(data)), "under another split");
    }

    private static String story(byte[][] pieces) {
        EmbeddedChannel channel = new EmbeddedChannel();
        List<String> told = new ArrayList<>();
        ProxyTunnel.open(
                channel,
                ORIGIN,
                PROXY,
                Duration.ofMinutes(1),
                () -> told.add("open"),
                refusal -> told.add("refused " + refusal));
        channel.releaseOutbound();
        for (byte[] piece : pieces) {
            channel.writeInbound(Unpooled.copiedBuffer(piece));
        }
        StringBuilder rest = new StringBuilder();
        if (told.contains("open")) {
            for (ByteBuf bytes = channel.readInbound(); bytes != null; bytes = channel.readInbound()) {
                rest.append(bytes.toString(StandardCharsets.ISO_8859_1));
                bytes.release();
            }
        }
        Property.holds(told.size() <= 1, "two outcomes: " + told);
        channel.finishAndReleaseAll();
        Property.holds(told.size() == 1, "no outcome, or two: " + told);
        return told + rest.toString();
    }
}
