package dev.capsem.service.http;

/// Whatever answers requests: a table of routes, or a guard before one.
public interface Front {
    /// Throws [Refusal] for whatever cannot be answered with success.
    Answer handle(Request request);
}
