package dev.capsem.exchange.dns;

/// The answer to the guest.
public sealed interface DnsReply {
    int responseCode();

    /// No records, and in words why not.
    ///
    /// @param reason of the registry of extended DNS errors
    record Refusal(int responseCode, Reason reason, String text) implements DnsReply {}

    /// RFC 8914.
    enum Reason {
        OTHER(0),
        BLOCKED(15),
        FILTERED(17),
        NOT_SUPPORTED(21),
        NETWORK_ERROR(23);

        private final int code;

        Reason(int code) {
            this.code = code;
        }

        public int code() {
            return code;
        }
    }

    /// The name exists and has nothing of that type.
    record Nothing() implements DnsReply {
        @Override
        public int responseCode() {
            return ResponseCode.NO_ERROR;
        }
    }

    /// An address of ours that stands for the name: the request that follows is judged with that name.
    record StandIn() implements DnsReply {
        @Override
        public int responseCode() {
            return ResponseCode.NO_ERROR;
        }
    }

    /// The first result.
    record Found(int responseCode) implements DnsReply {}
}
