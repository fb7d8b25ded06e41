package dev.capsem.network.dns;

import dev.capsem.exchange.dns.RecordType;
import dev.capsem.exchange.dns.ResponseCode;
import dev.capsem.network.address.AddressLiterals;
import dev.capsem.network.address.HostResolver;
import dev.capsem.network.address.Resolution;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/// Names as this host sees them: an address is itself, then its hosts file, then its resolvers, through one cache that
/// the DNS engine shares. Knows no policy. Other sources of the host's C library (mDNS, LDAP, plug-ins) are not asked,
/// except where a local stub resolver speaks DNS for them.
public final class HostLookup implements HostResolver {
    /// Names in the hosts file have no time to live; the file is looked at again at least this often.
    private static final long HOSTS_TTL_SECONDS = 10;

    /// How long IPv6 addresses are waited for once there are others; RFC 8305 has the same figure.
    private static final Duration SIX_TIME_MAX = Duration.ofMillis(50);

    private static final Lookup NOTHING = new Lookup(ResponseCode.NO_ERROR, List.of(), Optional.empty(), Duration.ZERO);

    private final Lookups lookups;
    private final Supplier<HostNamesFile> hosts;
    private final Executor executor;
    private final Duration sixTime;

    /// @param resolvers asked for anew with each query, so that a laptop may change networks
    /// @param executor runs blocking tasks, each on a thread of its own
    /// @param random not guessable: answers are told from forgeries by it
    public HostLookup(
            DnsTransport transport,
            Supplier<List<InetSocketAddress>> resolvers,
            Supplier<HostNamesFile> hosts,
            Executor executor,
            RandomGenerator random,
            LongSupplier nanoTime) {
        this(transport, resolvers, hosts, executor, random, nanoTime, UpstreamClient.ATTEMPT_TIME_MAX, SIX_TIME_MAX);
    }

    HostLookup(
            DnsTransport transport,
            Supplier<List<InetSocketAddress>> resolvers,
            Supplier<HostNamesFile> hosts,
            Executor executor,
            RandomGenerator random,
            LongSupplier nanoTime,
            Duration attemptTime,
            Duration sixTime) {
        this.lookups = new Lookups(new UpstreamClient(transport, resolvers, random, attemptTime), nanoTime);
        this.hosts = hosts;
        this.executor = executor;
        this.sixTime = sixTime;
    }

    @Override
    public CompletableFuture<Resolution> resolve(String host) {
        CompletableFuture<Resolution> result = new CompletableFuture<>();
        try {
            executor.execute(() -> {
                try {
                    result.complete(resolveNow(host));
                } finally {
                    result.complete(new Resolution.Failed("the lookup of the name broke off"));
                }
            });
        } catch (RejectedExecutionException e) {
            result.complete(new Resolution.Failed("the sandbox is being stopped"));
        }
        return result;
    }

    @Override
    public Optional<InetAddress> known(String host) {
        Optional<InetAddress> literal = AddressLiterals.parse(host);
        List<InetAddress> listed = hosts.get().of(host.toLowerCase(Locale.ROOT));
        return literal.or(() ->
                        listed.stream().filter(Inet4Address.class::isInstance).findFirst())
                .or(() -> listed.stream().findFirst());
    }

    private Resolution resolveNow(String host) {
        Optional<InetAddress> literal = AddressLiterals.parse(host);
        if (literal.isPresent()) {
            return new Resolution.Addresses(List.of(literal.get()));
        }
        Optional<DnsName> name = DnsName.ofHost(host);
        if (name.isEmpty()) {
            return new Resolution.Failed("not a host name");
        }
        CompletableFuture<Lookup> later =
                CompletableFuture.supplyAsync(() -> lookup(name.get(), RecordType.AAAA), executor);
        Lookup four = lookup(name.get(), RecordType.A);
        Lookup six = four.has(RecordType.A)
                ? later.completeOnTimeout(NOTHING, sixTime.toMillis(), TimeUnit.MILLISECONDS)
                        .join()
                : later.join();
        List<InetAddress> addresses = new ArrayList<>();
        for (Lookup lookup : List.of(four, six)) {
            lookup.answers().forEach(record -> record.address().ifPresent(addresses::add));
        }
        if (!addresses.isEmpty()) {
            return new Resolution.Addresses(addresses);
        }
        if (four.isFailure() && six.isFailure()) {
            return new Resolution.Failed("no resolver of the host answered");
        }
        return new Resolution.Failed(
                four.responseCode() == ResponseCode.NAME_ERROR ? "no such name" : "the name has no address");
    }

    /// The host's lookup of a name, in its hosts file or in DNS.
    Lookup lookup(DnsName name, int type) {
        boolean isAddressType = type == RecordType.A || type == RecordType.AAAA;
        List<InetAddress> listed = isAddressType ? hosts.get().of(name.text().toLowerCase(Locale.ROOT)) : List.of();
        if (listed.isEmpty()) {
            return lookups.lookup(name, type);
        }
        List<ResourceRecord> records = listed.stream()
                .map(address -> ResourceRecord.address(name, address, HOSTS_TTL_SECONDS))
                .filter(record -> record.type() == type)
                .toList();
        return new Lookup(ResponseCode.NO_ERROR, records, Optional.empty(), Duration.ZERO);
    }

    Lookups lookups() {
        return lookups;
    }
}
