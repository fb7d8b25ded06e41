package dev.capsem.client.io;

import dev.capsem.client.launch.ServiceLauncher;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonShapeException;
import dev.capsem.wire.service.ServiceError;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.BiFunction;

/// Requests and answers over the service's socket; starts the service when nobody listens, if it knows how.
final class ServiceTransport implements Closeable {
    private static final Duration START_POLL = Duration.ofMillis(20);
    private static final int IDLE_CONNECTIONS_MAX = 16;
    private static final int OK = 200;

    private final Path socket;
    private final Optional<ServiceLauncher> launcher;
    private final Duration startWait;
    private final ConcurrentLinkedDeque<HttpConnection> idle = new ConcurrentLinkedDeque<>();

    ServiceTransport(Path socket, Optional<ServiceLauncher> launcher, Duration startWait) {
        this.socket = socket;
        this.launcher = launcher;
        this.startWait = startWait;
    }

    Path socket() {
        return socket;
    }

    boolean isAnswered() {
        try {
            HttpConnection.open(socket).close();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    byte[] call(String method, String target, String accept, byte[] body, String contentType) {
        return call(method, target, accept, body, contentType, OK);
    }

    /// @param alsoFine a status whose body is an answer too
    byte[] call(String method, String target, String accept, byte[] body, String contentType, int alsoFine) {
        HttpConnection connection = take();
        boolean keep = false;
        try {
            connection.send(method, target, Map.of("Accept", accept, "Content-Type", contentType), body);
            HttpConnection.Reply reply = answer(connection);
            if (reply.status() / 100 != 2 && reply.status() != alsoFine) {
                throw refused(reply);
            }
            byte[] answer = reply.body().readAllBytes();
            keep = reply.reusable() && idle.size() < IDLE_CONNECTIONS_MAX;
            return answer;
        } catch (IOException e) {
            throw lost(e);
        } finally {
            if (keep) {
                idle.push(connection);
            } else {
                connection.close();
            }
        }
    }

    /// A connection that speaks something else from here on.
    HttpConnection upgrade(String target, Map<String, String> headers) {
        HttpConnection connection = take();
        try {
            connection.send("GET", target, headers, new byte[0]);
            HttpConnection.Reply reply = answer(connection);
            if (reply.status() != 101) {
                throw refused(reply);
            }
            return connection;
        } catch (IOException e) {
            connection.close();
            throw lost(e);
        } catch (ServiceCallException e) {
            connection.close();
            throw e;
        }
    }

    /// An answer that is read as it comes.
    <T> T begin(
            String method,
            String target,
            String accept,
            byte[] body,
            BiFunction<HttpConnection, InputStream, T> answer) {
        HttpConnection connection = take();
        try {
            connection.send(method, target, Map.of("Accept", accept, "Content-Type", "application/json"), body);
            HttpConnection.Reply reply = answer(connection);
            if (reply.status() / 100 != 2) {
                throw refused(reply);
            }
            return answer.apply(connection, reply.body());
        } catch (IOException e) {
            connection.close();
            throw lost(e);
        } catch (ServiceCallException e) {
            connection.close();
            throw e;
        }
    }

    /// As long as it takes, but not for ever: somebody must be there.
    private HttpConnection.Reply answer(HttpConnection connection) throws IOException {
        SilenceWatch watch = SilenceWatch.over(connection, socket);
        try (watch) {
            return connection.receive(false);
        } catch (IOException e) {
            if (watch.isSilent()) {
                throw ServiceCallException.unreachable(
                        "the program at " + socket + " takes connections but does not answer",
                        "is it capsem-service? If so, end that process; the next command starts another");
            }
            throw e;
        }
    }

    private static ServiceCallException refused(HttpConnection.Reply reply) throws IOException {
        byte[] body = reply.body().readAllBytes();
        try {
            return new ServiceCallException(reply.status(), ServiceError.fromJson(Json.parse(body)));
        } catch (JsonShapeException e) {
            return new ServiceCallException(
                    reply.status(),
                    new ServiceError(
                            "the service answered " + reply.status() + " and gave no cause",
                            "http_" + reply.status(),
                            "look for the cause: `capsem triage`"));
        }
    }

    private static ServiceCallException lost(IOException e) {
        return ServiceCallException.unreachable(
                "the connection to capsem-service was lost: " + e.getMessage(), "look at `capsem service status`");
    }

    private HttpConnection take() {
        for (HttpConnection kept = idle.poll(); kept != null; kept = idle.poll()) {
            if (!kept.isStale()) {
                return kept;
            }
            kept.close();
        }
        try {
            return HttpConnection.open(socket);
        } catch (IOException e) {
            return start();
        }
    }

    private HttpConnection start() {
        if (launcher.isEmpty()) {
            throw ServiceCallException.unreachable(
                    "capsem-service is not running at " + socket,
                    "start one there: `capsem-service --uds-path " + socket + "`, or leave out --uds-path");
        }
        Process process = launcher.get()
                .start()
                .orElseThrow(() -> ServiceCallException.unreachable(
                        "there is no program " + launcher.get().program(), "build it: `./capsem setup`"));
        long deadline = System.nanoTime() + startWait.toNanos();
        while (System.nanoTime() < deadline) {
            try {
                return HttpConnection.open(socket);
            } catch (IOException e) {
                if (!process.isAlive() && process.exitValue() != 0) {
                    break;
                }
                sleep();
            }
        }
        throw ServiceCallException.unreachable(
                "capsem-service did not come up at " + socket,
                "read " + launcher.get().startLog() + " and service.log beside it");
    }

    private static void sleep() {
        try {
            Thread.sleep(START_POLL);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw ServiceCallException.unreachable("interrupted while capsem-service was starting", "try again");
        }
    }

    @Override
    public void close() {
        for (HttpConnection kept = idle.poll(); kept != null; kept = idle.poll()) {
            kept.close();
        }
    }
}
