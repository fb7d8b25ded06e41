package dev.capsem.exchange.dns;

/// RFC 1035 and RFC 6891.
public final class ResponseCode {
    public static final int NO_ERROR = 0;
    public static final int FORMAT_ERROR = 1;
    public static final int SERVER_FAILURE = 2;
    public static final int NAME_ERROR = 3;
    public static final int NOT_IMPLEMENTED = 4;
    public static final int REFUSED = 5;
    public static final int BAD_VERSION = 16;

    private ResponseCode() {}
}
