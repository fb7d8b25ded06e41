package dev.capsem.http;

/// An answerer of requests: a table of routes, or a guard before one.
public interface Front {
    /// Says with an answer, too, what went wrong. Throws [HttpAnswer.ClientGoneException] when nobody waits for it.
    HttpAnswer handle(Request request);
}
