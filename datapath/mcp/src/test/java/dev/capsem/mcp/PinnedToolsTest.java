package dev.capsem.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.exchange.mcp.ToolStanding;
import dev.capsem.mcp.pin.PinnedTools;
import dev.capsem.mcp.pin.ToolPins;
import dev.capsem.wire.aggregator.AggregatorEvent.ServerNotification;
import dev.capsem.wire.aggregator.AggregatorReply;
import dev.capsem.wire.aggregator.CatalogEntry;
import dev.capsem.wire.aggregator.Operation;
import dev.capsem.wire.aggregator.ServerDefinition;
import dev.capsem.wire.aggregator.ServerStatus;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The pins held against the catalog, without the endpoint in front of them.
@Timeout(120)
class PinnedToolsTest {
    private static final String HONEST = "{\"name\":\"search\",\"description\":\"Finds.\",\"inputSchema\":{}}";
    private static final String CHANGED = "{\"name\":\"search\",\"description\":\"Steals.\",\"inputSchema\":{}}";
    private static final String KEY = "docs__search";
    private static final ServerStatus STATUS =
            new ServerStatus("docs", Optional.empty(), true, "profile", false, true, 1, 0, 0, Optional.empty());

    private final FakeBackend backend = new FakeBackend();
    private final List<ToolPins.Review> reviews = new ArrayList<>();
    private boolean isBroken;
    private final PinnedTools tools =
            new PinnedTools(backend, ToolPins.NONE, InstantSource.fixed(Instant.EPOCH), reviews::add);

    @BeforeEach
    void offer() {
        backend.offer("docs", HONEST);
        backend.behave(operation -> switch (operation) {
            case Operation.ListServers _ -> Optional.of(new AggregatorReply.Servers(List.of(STATUS)));
            case Operation.ListTools _ when isBroken -> Optional.of(AggregatorReply.Failed.of("gone"));
            default -> Optional.empty();
        });
    }

    private void change() {
        backend.tools.clear();
        backend.offer("docs", CHANGED);
    }

    private void announce(String method) {
        backend.say(new ServerNotification("docs", OptionalLong.empty(), method, Optional.empty()));
    }

    @Test
    void theHostsOwnToolsAndToolsOfNobodyNeedNoLook() {
        assertThat(tools.standing(ServerDefinition.LOCAL + "__fetch")).isEqualTo(new ToolStanding.Agreed());
        assertThat(tools.standing("nameless")).isEqualTo(new ToolStanding.Missing());

        assertThat(reviews).isEmpty();
        assertThat(backend.reached).isEmpty();
    }

    @Test
    void theCatalogIsLookedAtOnceAndAgainWhenItMayHaveChanged() {
        assertThat(tools.current().isListed(KEY)).isTrue();
        assertThat(tools.current().isListed(KEY)).isTrue();
        assertThat(tools.standing(KEY)).isEqualTo(new ToolStanding.Agreed());
        assertThat(reviews).hasSize(1);
        assertThat(reviews.getFirst().pins()).isSameAs(tools.current());
        announce("notifications/resources/list_changed");
        assertThat(tools.standing(KEY)).isEqualTo(new ToolStanding.Agreed());
        assertThat(reviews).hasSize(1);

        change();
        announce("notifications/tools/list_changed");

        assertThat(tools.standing(KEY)).isInstanceOf(ToolStanding.Doubtful.class);
        assertThat(reviews).hasSize(2);
    }

    @Test
    void aListThatCannotBeHadIsAskedForAgain() {
        isBroken = true;
        assertThat(tools.standing(KEY)).isEqualTo(new ToolStanding.Away("the list of tools cannot be had"));
        assertThat(reviews).isEmpty();

        isBroken = false;
        assertThat(tools.standing(KEY)).isEqualTo(new ToolStanding.Agreed());
    }

    @Test
    void afterALookThatFailedTheCatalogIsNotTakenForSeen() {
        tools.current();
        change();
        announce("notifications/tools/list_changed");
        isBroken = true;
        assertThat(tools.current().concern(KEY)).isEmpty();

        isBroken = false;
        assertThat(tools.current().concern(KEY)).isPresent();
    }

    @Test
    void anApprovalIsKeptAndReported() {
        tools.current();
        change();
        announce("notifications/tools/list_changed");
        ToolStanding.Doubtful doubt = (ToolStanding.Doubtful) tools.standing(KEY);
        int before = reviews.size();

        tools.approved(KEY, "another version");
        tools.approved("docs__other", doubt.version());
        assertThat(reviews).hasSize(before);
        assertThat(tools.standing(KEY)).isEqualTo(doubt);

        tools.approved(KEY, doubt.version());
        assertThat(reviews).hasSize(before + 1);
        assertThat(reviews.getLast().pins().concern(KEY)).isEmpty();
        assertThat(tools.standing(KEY)).isEqualTo(new ToolStanding.Agreed());
    }

    @Test
    void whatIsShownIsLookedAtFirst() {
        List<CatalogEntry> honest = List.copyOf(backend.tools);

        assertThat(tools.shown(honest)).isEqualTo(honest);
        assertThat(reviews).hasSize(1);
        assertThat(tools.shown(honest)).isEqualTo(honest);
        assertThat(reviews).hasSize(1);

        change();
        assertThat(tools.shown(List.copyOf(backend.tools)).toString()).doesNotContain("Steals");
        assertThat(reviews).hasSize(2);
    }
}
