package dev.capsem.telemetry.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.rolling.FixedWindowRollingPolicy;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy;
import ch.qos.logback.core.util.FileSize;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.LoggerFactory;

/// Where this program's log lines go: standard error until it has a file, then that file, rotated by size.
public final class ProgramLog {
    /// Guards the order of the two: the file is final, even if standard error is set up after it.
    private final ReentrantLock lock = new ReentrantLock();

    private boolean inFile;

    /// @param fileBytesMax of one file
    /// @param oldFilesMax kept beside the file that is written, as `<file>.1`, `<file>.2`, …
    public record Rotation(long fileBytesMax, int oldFilesMax) {}

    public void toStandardError() {
        lock.lock();
        try {
            if (!inFile) {
                ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
                appender.setTarget("System.err");
                use(appender);
            }
        } finally {
            lock.unlock();
        }
    }

    public void toFile(Path file, Rotation rotation) {
        lock.lock();
        try {
            use(rolling(file, rotation));
            inFile = true;
        } finally {
            lock.unlock();
        }
    }

    private static RollingFileAppender<ILoggingEvent> rolling(Path file, Rotation rotation) {
        RollingFileAppender<ILoggingEvent> appender = new RollingFileAppender<>();
        appender.setFile(file.toString());
        FixedWindowRollingPolicy rolling = new FixedWindowRollingPolicy();
        rolling.setContext(context());
        rolling.setParent(appender);
        rolling.setFileNamePattern(file + ".%i");
        rolling.setMinIndex(1);
        rolling.setMaxIndex(rotation.oldFilesMax());
        rolling.start();
        SizeBasedTriggeringPolicy<ILoggingEvent> trigger = new SizeBasedTriggeringPolicy<>();
        trigger.setContext(context());
        trigger.setMaxFileSize(new FileSize(rotation.fileBytesMax()));
        trigger.start();
        appender.setRollingPolicy(rolling);
        appender.setTriggeringPolicy(trigger);
        return appender;
    }

    private static void use(OutputStreamAppender<ILoggingEvent> appender) {
        LoggerContext context = context();
        context.reset();
        JsonLines lines = new JsonLines();
        lines.setContext(context);
        lines.start();
        appender.setContext(context);
        appender.setEncoder(lines);
        appender.start();
        Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.INFO);
        // Jetty tells at INFO what it starts and stops; none of it is about a sandbox.
        context.getLogger("org.eclipse.jetty").setLevel(Level.WARN);
        root.addAppender(appender);
    }

    private static LoggerContext context() {
        return (LoggerContext) LoggerFactory.getILoggerFactory();
    }
}
