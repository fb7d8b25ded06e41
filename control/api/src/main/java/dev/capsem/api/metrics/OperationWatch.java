package dev.capsem.api.metrics;

import dev.capsem.http.HttpAnswer;
import dev.capsem.http.Route;
import dev.capsem.http.RouteWatch;
import dev.capsem.service.diagnose.OperationLines;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Counts and logs what the service failed at, and what took it long. Triage reads the lines again.
public final class OperationWatch implements RouteWatch {
    static final Duration SLOW_MIN = Duration.ofMillis(500);

    private static final Logger LOG = LoggerFactory.getLogger(OperationWatch.class);
    private static final int SERVER_ERROR_MIN = 500;

    private final AtomicLong serverErrors = new AtomicLong();
    private final AtomicLong slow = new AtomicLong();

    public long serverErrors() {
        return serverErrors.get();
    }

    public long slow() {
        return slow.get();
    }

    @Override
    public void answered(Route route, int status, String code, Duration took) {
        String operation = route.method() + " " + route.pattern();
        if (status >= SERVER_ERROR_MIN) {
            serverErrors.incrementAndGet();
            LOG.atWarn()
                    .addKeyValue("op", operation)
                    .addKeyValue("status", status)
                    .addKeyValue("code", code)
                    .addKeyValue("duration_ms", took.toMillis())
                    .log(OperationLines.SERVER_ERROR);
        }
        if (status == HttpAnswer.ClientGoneException.STATUS) {
            LOG.atInfo()
                    .addKeyValue("op", operation)
                    .addKeyValue("duration_ms", took.toMillis())
                    .log(OperationLines.CANCELED);
        }
        if (took.compareTo(SLOW_MIN) >= 0 && !isUpToTheCaller(route)) {
            slow.incrementAndGet();
            LOG.atInfo()
                    .addKeyValue("op", operation)
                    .addKeyValue("duration_ms", took.toMillis())
                    .log(OperationLines.SLOW);
        }
    }

    /// How long a command or a query takes is not the service's doing.
    private static boolean isUpToTheCaller(Route route) {
        String pattern = route.pattern().toLowerCase(Locale.ROOT);
        return pattern.contains("exec")
                || pattern.equals("/run")
                || pattern.contains("runcode")
                || pattern.startsWith("/inspect")
                || pattern.contains("/tools");
    }
}
