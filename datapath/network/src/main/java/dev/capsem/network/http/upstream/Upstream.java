package dev.capsem.network.http.upstream;

import io.netty.channel.Channel;

/// One request's way to its upstream: a whole HTTP/1 connection, or a stream of an HTTP/2 one.
///
/// @param isReused whether requests went over this connection before, so that it may have died unnoticed
@SuppressWarnings("FutureReturnValueIgnored")
public record Upstream(
        Channel channel,
        UpstreamHandler handler,
        UpstreamOrigin origin,
        boolean isHttp2,
        boolean isReused,
        Runnable onRelease) {

    /// The exchange is over and left the connection clean: it may serve the next one.
    public void release() {
        handler.detach();
        onRelease.run();
    }

    /// The exchange ended in the middle; on HTTP/2 only the stream is given up.
    public void discard() {
        handler.detach();
        channel.close();
    }
}
