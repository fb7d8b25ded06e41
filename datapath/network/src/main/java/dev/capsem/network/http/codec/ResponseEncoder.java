package dev.capsem.network.http.codec;

import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseEncoder;

/// Writes HTTP/1 responses; knows when the request was a HEAD, whose response has no body whatever its headers say.
public final class ResponseEncoder extends HttpResponseEncoder {
    private boolean answersHead;

    public void answers(String method) {
        answersHead = method.equals("HEAD");
    }

    @Override
    protected boolean isContentAlwaysEmpty(HttpResponse response) {
        return (answersHead && response.status().code() >= 200) || super.isContentAlwaysEmpty(response);
    }
}
