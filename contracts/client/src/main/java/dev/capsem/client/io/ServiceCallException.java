package dev.capsem.client.io;

import dev.capsem.wire.service.ServiceError;

/// The service refused, failed, or could not be reached.
public final class ServiceCallException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /// The status of a call that got no answer at all.
    public static final int NO_ANSWER = 0;

    private final int status;
    private final String code;
    private final String remedy;

    public ServiceCallException(int status, ServiceError error) {
        super(error.error());
        this.status = status;
        this.code = error.code();
        this.remedy = error.remedy();
    }

    static ServiceCallException unreachable(String cause, String remedy) {
        return new ServiceCallException(NO_ANSWER, new ServiceError(cause, "service_unreachable", remedy));
    }

    /// The HTTP status, or [#NO_ANSWER].
    public int status() {
        return status;
    }

    public ServiceError error() {
        return new ServiceError(String.valueOf(getMessage()), code, remedy);
    }
}
