package dev.capsem.telemetry.chain;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Fixed vectors, made with another program from the format alone (`t`, length, UTF-8; `i` and `r` with eight
/// bytes, big endian; `n`; `?`). Writer and verifier share the class: without these, both could change together,
/// and every record of the past would be void.
class SealBufferTest {
    private static final long AT = 1_767_225_600_000L;

    private final SealBuffer buffer = new SealBuffer();

    @Test
    void anEventHasTheHashOfTheFormat() {
        buffer.startEvent(1, SealBuffer.GENESIS, AT, "ev-1");

        assertThat(buffer.hash()).isEqualTo("656cdca8eca50ca893e4b25042a595758f0197a6f7970cb229e733e0ed671bb9");
    }

    @Test
    void soHasEveryKindOfValue() {
        buffer.startEvent(1, SealBuffer.GENESIS, AT, "ev-1");
        buffer.startRow("net_events", 7);
        buffer.text("käse");
        buffer.integer(-1);
        buffer.real(0.5);
        buffer.absent();
        buffer.foreign();

        assertThat(buffer.hash()).isEqualTo("dec1b053c4221a74ac70bdf6ee82f0b390cbb00ae442db442744326502d34b0e");
    }

    @Test
    void soHasAGap() {
        buffer.startGap(2, "a".repeat(64), 3, 4, "queue_full", "d");

        assertThat(buffer.hash()).isEqualTo("5c0d34479dec77451ab6f574ab15c1c9e3a4b467bd4330f3f55deb078ab00d49");
    }

    @Test
    void aLinkAboveTheFirstRoomIsWholeAndTheNextOneIsNew() {
        buffer.startEvent(1, SealBuffer.GENESIS, 2, "e");
        buffer.text("x".repeat(10_000));
        assertThat(buffer.hash()).isEqualTo("1807709144b8cd2d0c7e0719e5cd64150a541e811674d9c32bcaf669bdb73746");

        buffer.startEvent(1, SealBuffer.GENESIS, AT, "ev-1");
        assertThat(buffer.hash()).isEqualTo("656cdca8eca50ca893e4b25042a595758f0197a6f7970cb229e733e0ed671bb9");
        buffer.startGap(2, "a".repeat(64), 3, 4, "queue_full", "d");
        assertThat(buffer.hash()).isEqualTo("5c0d34479dec77451ab6f574ab15c1c9e3a4b467bd4330f3f55deb078ab00d49");
    }

    @Test
    void everyValueFindsRoomWhereverTheLastOneEnded() {
        for (int filled = 3_970; filled < 4_000; filled++) {
            Set<String> hashes = new LinkedHashSet<>();
            for (int kind = 0; kind < 5; kind++) {
                SealBuffer fresh = new SealBuffer();
                fresh.startEvent(1, SealBuffer.GENESIS, 2, "e");
                fresh.text("x".repeat(filled));
                switch (kind) {
                    case 0 -> fresh.absent();
                    case 1 -> fresh.foreign();
                    case 2 -> fresh.integer(1);
                    case 3 -> fresh.real(1);
                    default -> fresh.text("1");
                }
                hashes.add(fresh.hash());
            }
            assertThat(hashes).hasSize(5);
        }
    }
}
