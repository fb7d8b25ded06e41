package dev.capsem.network.http.upstream;

import dev.capsem.exchange.http.UpstreamTarget;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;

/// Opens the connections that [UpstreamPool] keeps.
public interface UpstreamConnector {
    /// A connection whose protocol is settled.
    record Dialed(Channel channel, boolean isHttp2) {}

    /// @param onHttp2 placed at the end of the connection's pipeline if it speaks HTTP/2
    /// @return fails with an [UpstreamFailure]
    Future<Dialed> dial(EventLoop loop, UpstreamOrigin origin, UpstreamTarget target, Http2Connection onHttp2);
}
