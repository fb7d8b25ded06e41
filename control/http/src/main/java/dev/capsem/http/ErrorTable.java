package dev.capsem.http;

/// How one API says what went wrong: its codes, statuses and words.
public interface ErrorTable {
    /// Any exception of a handler, but for [HttpAnswer.ClientGoneException].
    Told tell(Request request, RuntimeException problem);

    /// @param status of the problem itself, also where a stream says it later
    /// @param code in the words of the API
    record Told(int status, String code, HttpAnswer answer) {}
}
