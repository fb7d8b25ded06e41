package dev.capsem.network.address;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.address.AddressClass;
import java.net.InetAddress;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class AddressLedgerTest {
    private static final InetAddress PUBLIC = InetAddress.ofLiteral("93.184.215.14");

    private final AtomicLong nanos = new AtomicLong();
    private final AddressLedger ledger = new AddressLedger(nanos::get);

    @Test
    void knowsWhatItGaveAndNothingElse() {
        ledger.give("example.com", PUBLIC, Duration.ofSeconds(1));

        assertThat(ledger.gave("example.com", PUBLIC)).isTrue();
        assertThat(ledger.gave("example.org", PUBLIC)).isFalse();
        assertThat(ledger.gave("example.com", InetAddress.ofLiteral("93.184.215.15")))
                .isFalse();
        assertThat(ledger.nameOf(PUBLIC)).isEmpty();
    }

    @Test
    void keepsAnswersForAnHourAfterTheirLastUse() {
        ledger.give("example.com", PUBLIC, Duration.ofSeconds(1));
        pass(Duration.ofMinutes(59));

        assertThat(ledger.gave("example.com", PUBLIC)).isTrue();
        pass(Duration.ofMinutes(59));
        assertThat(ledger.gave("example.com", PUBLIC)).isTrue();
        pass(Duration.ofMinutes(61));
        assertThat(ledger.gave("example.com", PUBLIC)).isFalse();
    }

    @Test
    void keepsAnswersAsLongAsTheyLive() {
        ledger.give("example.com", PUBLIC, Duration.ofHours(5));
        pass(Duration.ofHours(4));

        assertThat(ledger.gave("example.com", PUBLIC)).isTrue();
    }

    @Test
    void anAddressStandsForOneName() {
        InetAddress one = ledger.synthetic("one.example");
        InetAddress two = ledger.synthetic("two.example");

        assertThat(one).isNotEqualTo(two);
        assertThat(ledger.synthetic("one.example")).isEqualTo(one);
        assertThat(ledger.nameOf(one)).contains("one.example");
        assertThat(ledger.gave("one.example", one)).isTrue();
        assertThat(ledger.gave("two.example", one)).isFalse();
        assertThat(AddressClass.of(one)).isEqualTo(AddressClass.RESERVED);
    }

    @Test
    void isBoundedAndNeverGivesOneAddressToTwoNames() {
        for (int i = 0; i < 3 * AddressLedger.ENTRIES_MAX; i++) {
            ledger.synthetic("n" + i + ".example");
        }

        Set<InetAddress> seen = new HashSet<>();
        int known = 0;
        for (int i = 0; i < 131_072; i++) {
            InetAddress address =
                    InetAddress.ofLiteral("198." + (18 + (i >> 16)) + "." + (i >> 8 & 255) + "." + (i & 255));
            if (ledger.nameOf(address).isPresent()) {
                known++;
                assertThat(seen.add(address)).isTrue();
                assertThat(ledger.synthetic(ledger.nameOf(address).orElseThrow()))
                        .isEqualTo(address);
            }
        }
        assertThat(known).isBetween(1, AddressLedger.ENTRIES_MAX + 1_000);
    }

    @Test
    void givesManyThreadsAskingForOneNameTheSameAddress() {
        Set<InetAddress> answers = ConcurrentHashMap.newKeySet();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 200; i++) {
                threads.execute(() -> answers.add(ledger.synthetic("same.example")));
            }
        }

        assertThat(answers).hasSize(1);
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }
}
