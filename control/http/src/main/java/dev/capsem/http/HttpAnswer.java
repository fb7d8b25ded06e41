package dev.capsem.http;

import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JsonNode;

/// The answer of a route.
public sealed interface HttpAnswer {
    record JsonBody(int status, JsonNode body) implements HttpAnswer {}

    /// @param fileName present: offered as a download of that name
    record Content(String mediaType, byte[] bytes, Optional<String> fileName) implements HttpAnswer {}

    /// A document for a browser, of any status.
    record Page(int status, String mediaType, byte[] bytes) implements HttpAnswer {}

    /// Another answer with further headers.
    ///
    /// @param headers of which the answer itself sets none
    record WithHeaders(HttpAnswer answer, Map<String, String> headers) implements HttpAnswer {
        public WithHeaders {
            headers = Map.copyOf(headers);
        }
    }

    /// A body that is written while it comes to be.
    record Stream(String mediaType, Producer producer) implements HttpAnswer {}

    /// JSON that is sent while it is made, because it may be long.
    record LongBody(int status, Document document) implements HttpAnswer {}

    /// Sent whole before `then` runs, which may end the server.
    record Last(JsonNode body, Runnable then) implements HttpAnswer {}

    /// The connection becomes a WebSocket.
    ///
    /// @param protocol chosen if the client offers it
    record Upgrade(Optional<String> protocol, WebSocketHandler handler) implements HttpAnswer {}

    /// Runs on the request's thread. A client that went away makes [Sink#write] throw [ClientGoneException].
    interface Producer {
        void produce(Sink sink);
    }

    interface Sink {
        /// Written and flushed when it returns.
        void write(byte[] bytes);
    }

    /// Closed when it was written, or when it could not be.
    interface Document extends AutoCloseable {
        void write(JsonGenerator out);

        @Override
        void close();
    }

    /// Nobody reads the answer any more; not an error of ours.
    final class ClientGoneException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        /// As servers count requests that were given up by those who sent them.
        public static final int STATUS = 499;

        public static final String CODE = "canceled";

        public ClientGoneException() {
            super("the client went away");
        }

        public ClientGoneException(Throwable cause) {
            super("the client went away", cause);
        }
    }

    /// As far as it is known before the answer is written.
    default int status() {
        return switch (this) {
            case JsonBody json -> json.status;
            case LongBody json -> json.status;
            case Page page -> page.status;
            case WithHeaders dressed -> dressed.answer.status();
            case Content _, Stream _, Last _ -> 200;
            case Upgrade _ -> 101;
        };
    }

    static HttpAnswer json(JsonNode body) {
        return new JsonBody(200, body);
    }
}
