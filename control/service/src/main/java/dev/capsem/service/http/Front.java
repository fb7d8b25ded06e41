package dev.capsem.service.http;

/// Whatever answers requests: a table of routes, or a guard before one.
public interface Front {
    /// Says with an answer, too, what went wrong. Throws [Answer.ClientGoneException] when nobody waits for it.
    Answer handle(Request request);
}
