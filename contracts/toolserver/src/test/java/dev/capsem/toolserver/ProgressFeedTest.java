package dev.capsem.toolserver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.wire.jsonrpc.JsonRpcMessage;
import dev.capsem.wire.jsonrpc.JsonRpcMessage.Notification;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.StringNode;

final class ProgressFeedTest {
    private final BlockingQueue<JsonRpcMessage> sent = new LinkedBlockingQueue<>();

    @Test
    void sendsTheFirstNewsAtOnceAndLaterOnesWithoutWaitingForTheEnd() throws InterruptedException {
        try (var feed = new ProgressFeed(Optional.of(StringNode.valueOf("t")), "work", sent::add)) {
            feed.add("one");
            assertThat(sent).hasSize(1);
            feed.add("two");
            feed.add("three");
            assertThat(news("onetwothree".length())).isEqualTo("onetwothree");
        }
        assertThat(sent).isEmpty();
    }

    @Test
    void sendsWhatIsLeftBeforeTheEndAndNothingAfterwards() throws InterruptedException {
        var feed = new ProgressFeed(Optional.of(StringNode.valueOf("t")), "work", sent::add);
        feed.add("one");
        feed.add("two");
        feed.close();
        feed.close();
        assertThat(news("onetwo".length())).isEqualTo("onetwo");
        assertThat(sent).isEmpty();
    }

    @Test
    void tellsNothingToACallerWhoDidNotAsk() {
        try (var feed = new ProgressFeed(Optional.empty(), "work", sent::add)) {
            feed.add("one");
        }
        assertThat(sent).isEmpty();
    }

    private String news(int length) throws InterruptedException {
        var news = new StringBuilder();
        while (news.length() < length) {
            var next = (Notification) sent.poll(30, TimeUnit.SECONDS);
            news.append(next.params().orElseThrow().path("message").asString());
        }
        return news.toString();
    }
}
