package dev.capsem.network.http.upstream;

import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpResponse;

/// Events of the upstream for an exchange, all on the event loop.
public interface UpstreamEvents {
    void responseHead(HttpResponse head);

    /// The content is the callee's to release.
    void responseContent(HttpContent content);

    void upstreamReadComplete();

    void upstreamWritable();

    /// It is gone, before the response's end. Said once at most.
    void upstreamGone(String reason);
}
