package dev.capsem.network.http.head;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class HeadRewriteTest {
    @Test
    void namesWhatTheSenderKeepsToThisConnection() {
        HttpHeaders headers = new DefaultHttpHeaders();
        headers.add("Connection", "close, X-First ,, te, two words,");
        headers.add("Connection", "Upgrade,\tX-Second");

        assertThat(HeadRewrite.forThisHop(headers)).containsExactly("close", "x-first", "x-second");
    }

    @Test
    void namesNothingWithoutTheField() {
        assertThat(HeadRewrite.forThisHop(new DefaultHttpHeaders())).isEmpty();
    }

    @Test
    void sendsOnNothingThatIsForThisConnection() {
        HttpResponse came = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
        came.headers()
                .add("Connection", "keep-alive, X-Hop, content-length")
                .add("X-Hop", "1")
                .add("Keep-Alive", "timeout=5")
                .add("X-Kept", "2")
                .add("Content-Length", "3");

        HttpResponse outgoing = HeadRewrite.response(came, Optional.empty(), false, false, false);

        assertThat(outgoing.headers().names()).containsExactlyInAnyOrder("X-Kept", "Content-Length");
    }
}
