package dev.capsem.http;

import dev.capsem.wire.service.ServiceError;
import java.util.Locale;

/// A request that no API can take as it is: wrong as HTTP, whatever it asks for.
///
/// The service's own problems have the same three parts (code, message, remedy) and are a type of their own: they have
/// no status, because each API has its own table for them, and neither module sees the other.
public final class HttpProblem extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public enum Code {
        BAD_REQUEST(400),
        BAD_JSON(400),
        BAD_QUERY(400),
        ROUTE_NOT_FOUND(404),
        METHOD_NOT_ALLOWED(405),
        TOO_LARGE(413),
        NOT_JSON(415),
        WRONG_SHAPE(422),
        INTERNAL(500);

        private final int status;

        Code(int status) {
            this.status = status;
        }

        public int status() {
            return status;
        }

        /// As in the `code` member of an error body.
        public String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final Code code;
    private final String remedy;

    public HttpProblem(Code code, String message, String remedy) {
        super(message);
        this.code = code;
        this.remedy = remedy;
    }

    public HttpProblem(Code code, String message, String remedy, Throwable cause) {
        super(message, cause);
        this.code = code;
        this.remedy = remedy;
    }

    public Code code() {
        return code;
    }

    public ServiceError error() {
        return new ServiceError(String.valueOf(getMessage()), code.wireName(), remedy);
    }
}
