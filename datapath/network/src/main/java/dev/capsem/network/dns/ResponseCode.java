package dev.capsem.network.dns;

/// RFC 1035 and RFC 6891.
final class ResponseCode {
    static final int NO_ERROR = 0;
    static final int FORMAT_ERROR = 1;
    static final int SERVER_FAILURE = 2;
    static final int NAME_ERROR = 3;
    static final int NOT_IMPLEMENTED = 4;
    static final int REFUSED = 5;
    static final int BAD_VERSION = 16;

    private ResponseCode() {}
}
