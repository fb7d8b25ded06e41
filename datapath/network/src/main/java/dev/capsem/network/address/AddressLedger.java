package dev.capsem.network.address;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import com.github.benmanes.caffeine.cache.Ticker;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/// What our DNS told one sandbox, and the pool of addresses that stand for names only. Bounded: when it is full
/// answers are forgotten, and a connection to one of them is refused until its name is asked for again.
public final class AddressLedger implements NameLedger {
    /// Pairs of name and address; also the most names that have an address of their own.
    static final int ENTRIES_MAX = 50_000;
    /// Clients keep addresses longer than they are told to; an hour after the last use is enough for all of them.
    static final Duration KEPT_MIN = Duration.ofHours(1);

    /// 198.18.0.0/15 is set aside for measurements between two networks: no host on the Internet has such an address.
    private static final int POOL_FIRST = 198 << 24 | 18 << 16;

    private static final int POOL_SIZE = 1 << 17;

    private final Cache<Given, Duration> given;
    private final Cache<String, Integer> addressOfName;
    private final ConcurrentMap<Integer, String> nameOfAddress = new ConcurrentHashMap<>();

    /// Guards [#next].
    private final Object pool = new Object();

    private int next = 1;

    private record Given(String host, InetAddress address) {}

    /// How long each pair is kept from its last use on.
    private static final class SinceLastUse implements Expiry<Given, Duration> {
        @Override
        public long expireAfterCreate(Given key, Duration kept, long now) {
            return kept.toNanos();
        }

        @Override
        public long expireAfterUpdate(Given key, Duration kept, long now, long left) {
            return Math.max(left, kept.toNanos());
        }

        @Override
        public long expireAfterRead(Given key, Duration kept, long now, long left) {
            return Math.max(left, KEPT_MIN.toNanos());
        }
    }

    public AddressLedger() {
        this(Ticker.systemTicker());
    }

    AddressLedger(Ticker ticker) {
        this.given = Caffeine.newBuilder()
                .maximumSize(ENTRIES_MAX)
                .expireAfter(new SinceLastUse())
                .ticker(ticker)
                .executor(Runnable::run)
                .build();
        this.addressOfName = Caffeine.newBuilder()
                .maximumSize(ENTRIES_MAX)
                .expireAfterAccess(KEPT_MIN)
                .ticker(ticker)
                .executor(Runnable::run)
                .<String, Integer>removalListener((name, address, _) -> {
                    if (name != null && address != null) {
                        nameOfAddress.remove(address, name);
                    }
                })
                .build();
    }

    /// The sandbox is told that `host` is at `address`.
    ///
    /// @param host lower case, without a trailing dot
    public void give(String host, InetAddress address, Duration timeToLive) {
        given.put(new Given(host, address), timeToLive.compareTo(KEPT_MIN) > 0 ? timeToLive : KEPT_MIN);
    }

    /// An address that stands for `host` and leads nowhere; the same one as long as it is remembered.
    ///
    /// @param host lower case, without a trailing dot
    public InetAddress synthetic(String host) {
        int address = addressOfName.get(host, this::assign);
        return fromNumber(address);
    }

    @Override
    public boolean gave(String host, InetAddress destination) {
        return given.getIfPresent(new Given(host, destination)) != null
                || nameOf(destination).filter(host::equals).isPresent();
    }

    @Override
    public Optional<String> nameOf(InetAddress synthetic) {
        byte[] bytes = synthetic.getAddress();
        if (bytes.length != 4) {
            return Optional.empty();
        }
        int number = (bytes[0] & 0xff) << 24 | (bytes[1] & 0xff) << 16 | (bytes[2] & 0xff) << 8 | (bytes[3] & 0xff);
        // Asking for the name's own address counts as a use of it.
        return Optional.ofNullable(nameOfAddress.get(number))
                .filter(name -> Objects.equals(addressOfName.getIfPresent(name), number));
    }

    /// The pool goes round: an address is used again only after all others, when its first name is long forgotten.
    private int assign(String host) {
        synchronized (pool) {
            while (true) {
                int address = POOL_FIRST + next;
                next = next == POOL_SIZE - 2 ? 1 : next + 1;
                if (nameOfAddress.putIfAbsent(address, host) == null) {
                    return address;
                }
            }
        }
    }

    private static InetAddress fromNumber(int number) {
        try {
            return InetAddress.getByAddress(
                    new byte[] {(byte) (number >> 24), (byte) (number >> 16), (byte) (number >> 8), (byte) number});
        } catch (UnknownHostException e) {
            throw new IllegalStateException("four bytes are an address", e);
        }
    }
}
