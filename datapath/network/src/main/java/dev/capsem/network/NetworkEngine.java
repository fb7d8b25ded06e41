package dev.capsem.network;

import dev.capsem.network.http.HttpTraffic;
import dev.capsem.network.io.GuestConnection;
import dev.capsem.network.metrics.NetworkMetrics;
import dev.capsem.network.start.ConnectionStart;
import dev.capsem.network.tls.AuthorityKeys;
import dev.capsem.network.tls.CertificateAuthority;
import dev.capsem.network.tls.GuestTls;
import dev.capsem.network.tls.UpstreamTls;
import dev.capsem.wire.Decoded;
import dev.capsem.wire.guest.Preamble;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.ScheduledFuture;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/// The guarded door of one sandbox: takes the connections of port 5002 and carries what may be carried. Safe for many
/// threads. Setting it up reads trust anchors and loads the TLS library: some hundred milliseconds, off the hot path.
public final class NetworkEngine implements AutoCloseable {
    private static final long SHUTDOWN_SECONDS_MAX = 5;

    /// How long a guest that was told why it is refused may take to leave; then its connection is closed.
    private static final Duration PARTING_MAX = Duration.ofSeconds(2);

    private final Ports ports;
    private final NetworkSettings settings;
    private final NetworkMetrics metrics = new NetworkMetrics();
    private final ExecutorService threads = Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual().name("network-", 0).factory());
    private final EventLoopGroup loops;
    private final CertificateAuthority authority;
    private final HttpTraffic traffic;

    public NetworkEngine(Ports ports, NetworkSettings settings) {
        this.ports = ports;
        this.settings = settings;
        this.loops = new MultiThreadIoEventLoopGroup(
                settings.eventLoops(), new DefaultThreadFactory("capsem-net", true), NioIoHandler.newFactory());
        SecureRandom random = new SecureRandom();
        this.authority = new CertificateAuthority(settings.authority(), InstantSource.system(), random);
        this.traffic = new HttpTraffic(
                ports.gate(),
                ports.desk(),
                ports.envelopes(),
                ports.sink(),
                ports.observer(),
                ports.ledger(),
                ports.resolver(),
                ports.proxy(),
                ports.grants(),
                ports.spending(),
                new GuestTls(authority, random, threads),
                () -> UpstreamTls.trusting(
                        settings.trustBundles(), settings.extraAuthorities(), settings.clientIdentities()),
                settings.timeouts(),
                settings.bodyRoom(),
                metrics,
                threads);
    }

    /// Does once, for nothing, what the first connection of a process costs most: the TLS library, a signature.
    public static void prepare() {
        SecureRandom random = new SecureRandom();
        CertificateAuthority nobodys =
                new CertificateAuthority(AuthorityKeys.builtIn(), InstantSource.system(), random);
        new GuestTls(nobodys, random, Runnable::run).context("warm-up.example").join();
    }

    public NetworkMetrics metrics() {
        return metrics;
    }

    /// How many certificates were made so far.
    public long mintedCertificates() {
        return authority.minted();
    }

    /// Takes a connection over and closes it when it is over. Returns once its first bytes told what it is; framed MCP
    /// is served before returning. For a virtual thread of its own.
    public void serve(GuestConnection connection) {
        boolean isKept = false;
        ScheduledFuture<?> silence = after(settings.timeouts().firstByte(), () -> {
            if (!connection.hasSpoken()) {
                connection.close();
            }
        });
        ScheduledFuture<?> impatience = after(settings.timeouts().requestHead(), connection::close);
        try {
            Decoded<ConnectionStart> start = connection.start();
            silence.cancel(false);
            impatience.cancel(false);
            isKept = switch (start) {
                case Decoded.Message<ConnectionStart>(ConnectionStart known, int _) -> dispatch(connection, known);
                case Decoded.Malformed<ConnectionStart>(String reason) ->
                    refuse(connection, connection.claimed(), reason);
                case Decoded.NeedMore<ConnectionStart>() -> throw new IllegalStateException("the start is decided");
            };
        } catch (ClosedChannelException tooLate) {
            refuse(connection, connection.claimed(), tooLate(connection));
        } catch (IOException gone) {
            refuse(connection, connection.claimed(), "the connection broke before it was clear what it is");
        } finally {
            silence.cancel(false);
            impatience.cancel(false);
            if (!isKept) {
                connection.close();
            }
        }
    }

    private ScheduledFuture<?> after(Duration time, Runnable then) {
        return loops.schedule(then, time.toMillis(), TimeUnit.MILLISECONDS);
    }

    private String tooLate(GuestConnection connection) {
        return connection.hasSpoken()
                ? "the first line did not end within "
                        + settings.timeouts().requestHead().toSeconds() + " s"
                : "nothing was said for " + settings.timeouts().firstByte().toSeconds()
                        + " s: protocols in which the server speaks first are not carried";
    }

    /// @return whether the connection is in other hands now
    private boolean dispatch(GuestConnection connection, ConnectionStart start) throws IOException {
        Preamble preamble = start.preamble();
        long opened = connection.openedNanos();
        return switch (start.protocol()) {
            case ConnectionStart.Tls() -> {
                metrics.connectionOpened("tls");
                connection.adopt(
                        next(), channel -> traffic.startTls(channel, preamble, opened), metrics::connectionClosed);
                yield true;
            }
            case ConnectionStart.Http() -> {
                metrics.connectionOpened("http");
                connection.adopt(
                        next(), channel -> traffic.startHttp(channel, preamble, opened), metrics::connectionClosed);
                yield true;
            }
            case ConnectionStart.Http2() -> {
                metrics.connectionOpened("http2");
                connection.adopt(
                        next(), channel -> traffic.startHttp2(channel, preamble, opened), metrics::connectionClosed);
                yield true;
            }
            case ConnectionStart.Mcp() -> {
                if (ports.mcp().isEmpty()) {
                    yield refuse(connection, preamble, "framed MCP has no endpoint here");
                }
                metrics.connectionOpened("mcp");
                try {
                    ports.mcp().get().serve(connection.channel(), connection.received(), preamble.processName());
                } finally {
                    metrics.connectionClosed();
                }
                yield false;
            }
            case ConnectionStart.Undelivered report -> {
                traffic.undelivered(preamble, report);
                yield false;
            }
            case ConnectionStart.Unknown(String reason, String goodbye) -> {
                refuse(connection, preamble, reason);
                part(connection, goodbye);
                yield false;
            }
        };
    }

    private boolean refuse(GuestConnection connection, Preamble preamble, String reason) {
        metrics.connectionOpened("unknown");
        metrics.connectionClosed();
        traffic.refused(preamble, connection.openedNanos(), reason);
        return false;
    }

    /// Tells the guest, if there are words that it understands.
    private void part(GuestConnection connection, String goodbye) {
        ScheduledFuture<?> impatience = after(PARTING_MAX, connection::close);
        try {
            connection.part(goodbye);
        } catch (IOException gone) {
            // Whoever does not listen is on record all the same.
        } finally {
            impatience.cancel(false);
        }
    }

    private EventLoop next() {
        return loops.next();
    }

    /// Ends every connection, then waits for what is being recorded.
    @Override
    public void close() {
        traffic.closeIdle();
        loops.shutdownGracefully(0, SHUTDOWN_SECONDS_MAX, TimeUnit.SECONDS).awaitUninterruptibly();
        threads.close();
    }
}
