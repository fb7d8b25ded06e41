package dev.capsem.process.logging;

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

/// Where log lines go: standard error while this process is a spare, then the session's process.log.
public final class ProcessLog {
    private static final String FILE_BYTES_MAX = "1MB";
    private static final int OLD_FILES_MAX = 1;

    /// Guards the order of the two: the file is final, whoever comes first.
    private final ReentrantLock lock = new ReentrantLock();

    private boolean inFile;

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

    public void toFile(Path file) {
        lock.lock();
        try {
            use(rolling(file));
            inFile = true;
        } finally {
            lock.unlock();
        }
    }

    private static RollingFileAppender<ILoggingEvent> rolling(Path file) {
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        RollingFileAppender<ILoggingEvent> appender = new RollingFileAppender<>();
        appender.setFile(file.toString());
        appender.setAppend(true);
        FixedWindowRollingPolicy rolling = new FixedWindowRollingPolicy();
        rolling.setContext(context);
        rolling.setParent(appender);
        rolling.setFileNamePattern(file + ".%i");
        rolling.setMinIndex(1);
        rolling.setMaxIndex(OLD_FILES_MAX);
        rolling.start();
        SizeBasedTriggeringPolicy<ILoggingEvent> trigger = new SizeBasedTriggeringPolicy<>();
        trigger.setContext(context);
        trigger.setMaxFileSize(FileSize.valueOf(FILE_BYTES_MAX));
        trigger.start();
        appender.setRollingPolicy(rolling);
        appender.setTriggeringPolicy(trigger);
        return appender;
    }

    private static void use(OutputStreamAppender<ILoggingEvent> appender) {
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        context.reset();
        JsonLines lines = new JsonLines();
        lines.setContext(context);
        lines.start();
        appender.setContext(context);
        appender.setEncoder(lines);
        appender.start();
        Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.INFO);
        root.addAppender(appender);
    }
}
