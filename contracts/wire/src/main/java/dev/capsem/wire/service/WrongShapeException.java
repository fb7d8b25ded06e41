package dev.capsem.wire.service;

/// A JSON document that parses but is not what the API asks for; the message names the member.
public final class WrongShapeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public WrongShapeException(String message) {
        super(message);
    }
}
