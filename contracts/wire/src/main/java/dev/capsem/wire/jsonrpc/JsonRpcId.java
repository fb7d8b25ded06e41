package dev.capsem.wire.jsonrpc;

/// The id that ties a response to its request, as its sender wrote it.
public sealed interface JsonRpcId {
    JsonRpcId NULL = new Null();

    /// As the record shows it: text as it is, a number's digits, or `null`.
    String shown();

    static JsonRpcId of(long number) {
        return new Numeral(Long.toString(number));
    }

    static JsonRpcId of(String text) {
        return new Text(text);
    }

    record Text(String text) implements JsonRpcId {
        @Override
        public String shown() {
            return text;
        }
    }

    /// @param literal as it stood in the message: `1` and `1.0` are different ids, as their senders may think
    record Numeral(String literal) implements JsonRpcId {
        @Override
        public String shown() {
            return literal;
        }
    }

    record Null() implements JsonRpcId {
        @Override
        public String shown() {
            return "null";
        }
    }
}
