package dev.capsem.network.http;

import io.netty.channel.Channel;

/// One request's way back to the guest: an HTTP/1 connection for as long as the request lasts, or an HTTP/2 stream.
interface GuestLeg {
    Channel channel();

    boolean isHttp2();

    /// Asks for more of the request.
    void read();

    /// The answer is written. The connection serves the next request, or is closed when the guest has read the answer.
    ///
    /// @param mayGoOn whether both sides know where the next message begins
    void answered(boolean mayGoOn);

    /// Both sides agreed to speak something else from here on.
    void becomeTunnel(Tunnel tunnel);

    /// The guest must see that the answer is cut short.
    void abort();
}
