package dev.capsem.bench.net;

import dev.capsem.bench.BenchPrograms;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/// Event streams held open, as many straight to the origin as through the engine, in the same minute: how much later
/// does an event arrive? Each event carries the time it was sent; sender and receiver are this process.
public final class StreamBench {
    public static final int STREAMS = 500;

    private static final int BEGINNING_MAX = 16;
    private static final Duration HOLD = Duration.ofSeconds(60);
    private static final Duration BETWEEN_EVENTS = Duration.ofSeconds(1);
    private static final Duration SETTLE_MAX = Duration.ofMinutes(2);
    private static final char[] PASSWORD = "not-a-secret".toCharArray();

    /// @param directMillis from sending to receiving each event, unsorted
    /// @param rows streams that the session's record has with all of their bytes
    public record Found(
            List<Double> directMillis,
            List<Double> throughMillis,
            long failures,
            long rows,
            double residentMegabytes,
            double cpuSeconds) {}

    private final Path directory;
    private final Queue<Double> direct = new ConcurrentLinkedQueue<>();
    private final Queue<Double> through = new ConcurrentLinkedQueue<>();
    private final LongAdder failures = new LongAdder();
    private final CountDownLatch connected = new CountDownLatch(2 * STREAMS);
    private final CountDownLatch ended = new CountDownLatch(2 * STREAMS);

    private final AtomicReference<@Nullable IOException> firstFailure = new AtomicReference<>();

    /// What is measured is streams that are held, not how many can begin in the same instant.
    private final Semaphore beginning = new Semaphore(BEGINNING_MAX);

    private volatile boolean isMeasuring;
    private volatile boolean isOver;

    /// @param directory empty, and its owner's to remove
    public StreamBench(Path directory) {
        this.directory = directory;
    }

    public Found run() throws IOException {
        SSLContext tls = context();
        try (ServerSocket origin =
                tls.getServerSocketFactory().createServerSocket(0, 2 * STREAMS, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> accept(origin));
            int door = freePort();
            Process proxy = Children.engine(
                    EngineProxy.class.getName(),
                    Integer.toString(door),
                    "0",
                    directory.toString(),
                    directory.resolve("origin.pem").toString());
            try {
                for (int i = 0; i < STREAMS; i++) {
                    Thread.ofVirtual().start(() -> receive(tls, origin.getLocalPort(), origin.getLocalPort(), direct));
                    Thread.ofVirtual().start(() -> receive(tls, door, origin.getLocalPort(), through));
                }
                await(connected, "not all streams began");
                double cpuBefore = Children.cpuSeconds(proxy);
                isMeasuring = true;
                pause(HOLD);
                isMeasuring = false;
                double cpu = Children.cpuSeconds(proxy) - cpuBefore;
                double memory = Children.residentMegabytes(proxy);
                isOver = true;
                await(ended, "not all streams ended");
                return new Found(
                        List.copyOf(direct), List.copyOf(through), failures.sum(), recordedStreams(), memory, cpu);
            } finally {
                Children.end(proxy);
            }
        } catch (SQLException unreadable) {
            throw new IOException("the record cannot be read", unreadable);
        }
    }

    private SSLContext context() throws IOException {
        Path store = directory.resolve("origin.p12");
        String keytool =
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
        List<String> access =
                List.of("-alias", "origin", "-keystore", store.toString(), "-storepass", new String(PASSWORD));
        List<String> make = new ArrayList<>(List.of(keytool, "-genkeypair"));
        make.addAll(access);
        make.addAll(List.of("-keyalg", "EC", "-groupname", "secp256r1", "-storetype", "PKCS12", "-validity", "2"));
        make.addAll(List.of("-dname", "CN=" + BenchOrigin.HOST, "-ext", "san=dns:" + BenchOrigin.HOST));
        List<String> export = new ArrayList<>(List.of(keytool, "-exportcert", "-rfc", "-file"));
        export.add(directory.resolve("origin.pem").toString());
        export.addAll(access);
        if (BenchPrograms.run(make) != 0 || BenchPrograms.run(export) != 0) {
            throw new IOException("keytool could not make the origin's certificate");
        }
        try (InputStream in = Files.newInputStream(store)) {
            KeyStore keys = KeyStore.getInstance("PKCS12");
            keys.load(in, PASSWORD);
            KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            own.init(keys, PASSWORD);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(own.getKeyManagers(), trustAnybody(), new SecureRandom());
            return context;
        } catch (GeneralSecurityException broken) {
            throw new IOException("this JDK has no TLS", broken);
        }
    }

    /// The engine's own authority signs what the client sees; whom it trusts is not what is measured.
    private static TrustManager[] trustAnybody() {
        return InsecureTrustManagerFactory.INSTANCE.getTrustManagers();
    }

    // ---- the origin -------------------------------------------------------------------------------------------------

    private void accept(ServerSocket origin) {
        try {
            for (int number = 0; ; number++) {
                Socket socket = origin.accept();
                int offset = number;
                Thread.ofVirtual().start(() -> send(socket, offset));
            }
        } catch (IOException over) {
            // The bench has ended.
        }
    }

    private void send(Socket socket, int number) {
        try (socket) {
            socket.setTcpNoDelay(true);
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
            for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
                // The head says nothing that matters.
            }
            OutputStream out = socket.getOutputStream();
            write(out, "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n");
            // So that all streams do not speak in the same instant.
            pause(BETWEEN_EVENTS.multipliedBy(number % STREAMS).dividedBy(STREAMS));
            while (!isOver) {
                // One chunk of 28 bytes, so that what is recorded can be counted.
                write(out, "1c\r\ndata: %020d\n\n\r\n".formatted(System.nanoTime()));
                pause(BETWEEN_EVENTS);
            }
            write(out, "0\r\n\r\n");
        } catch (IOException gone) {
            failed(gone);
        }
    }

    private void failed(IOException why) {
        failures.increment();
        firstFailure.compareAndSet(null, why);
    }

    private static void write(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.US_ASCII));
        out.flush();
    }

    // ---- the clients ------------------------------------------------------------------------------------------------

    private void receive(SSLContext tls, int port, int originPort, Queue<Double> millis) {
        String host = BenchOrigin.HOST + ":" + originPort;
        try (SSLSocket socket = begin(tls, port, originPort, host)) {
            write(socket.getOutputStream(), "GET /sse HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
            listen(
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII)),
                    millis);
        } catch (IOException broken) {
            failed(broken);
        } finally {
            ended.countDown();
        }
    }

    private SSLSocket begin(SSLContext tls, int port, int originPort, String host) throws IOException {
        beginning.acquireUninterruptibly();
        Socket plain = new Socket(InetAddress.getLoopbackAddress(), port);
        try {
            plain.setTcpNoDelay(true);
            if (port != originPort) {
                tunnel(plain, host);
            }
            SSLSocket socket =
                    (SSLSocket) tls.getSocketFactory().createSocket(plain, BenchOrigin.HOST, originPort, true);
            // By itself the JDK does not name a host without a dot.
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setServerNames(List.of(new SNIHostName(BenchOrigin.HOST)));
            socket.setSSLParameters(parameters);
            socket.startHandshake();
            return socket;
        } catch (IOException broken) {
            plain.close();
            throw broken;
        } finally {
            beginning.release();
        }
    }

    private static void tunnel(Socket socket, String host) throws IOException {
        write(socket.getOutputStream(), "CONNECT " + host + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
        InputStream in = socket.getInputStream();
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = in.read();
            if (next < 0) {
                throw new SocketException("the proxy hung up");
            }
            head.append((char) next);
        }
        if (head.indexOf(" 200 ") < 0) {
            throw new SocketException("the proxy refused: " + head);
        }
    }

    private void listen(BufferedReader in, Queue<Double> millis) throws IOException {
        boolean isFirst = true;
        for (String line = in.readLine(); line != null && !line.equals("0"); line = in.readLine()) {
            long now = System.nanoTime();
            if (!line.startsWith("data: ")) {
                continue;
            }
            if (isFirst) {
                connected.countDown();
                isFirst = false;
            }
            if (isMeasuring) {
                millis.add((now - Long.parseLong(line.substring("data: ".length()))) / 1e6);
            }
        }
    }

    // ---- the record -------------------------------------------------------------------------------------------------

    /// Waits for the last of them: rows are written behind the exchange's back.
    private long recordedStreams() throws SQLException, IOException {
        long rows = 0;
        for (int attempt = 0; attempt < 100 && rows < STREAMS; attempt++) {
            pause(Duration.ofMillis(100));
            try (Connection connection = DriverManager.getConnection(
                            "jdbc:sqlite:file:" + directory.resolve("session.db") + "?mode=ro");
                    Statement statement = connection.createStatement();
                    ResultSet count = statement.executeQuery("SELECT count(*) FROM net_events WHERE path = '/sse'"
                            + " AND decision = 'allowed' AND status_code = 200 AND bytes_received % 28 = 0"
                            + " AND bytes_received >= 28 * " + HOLD.toSeconds())) {
                rows = count.next() ? count.getLong(1) : 0;
            }
        }
        return rows;
    }

    private static int freePort() throws IOException {
        try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return probe.getLocalPort();
        }
    }

    private void await(CountDownLatch latch, String problem) throws IOException {
        try {
            if (!latch.await(SETTLE_MAX.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IOException(problem + ": " + latch.getCount() + " are missing", firstFailure.get());
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", interrupted);
        }
    }

    private static void pause(Duration time) throws IOException {
        try {
            Thread.sleep(time);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", interrupted);
        }
    }
}
