package dev.capsem.sandboxserver.reach;

import dev.capsem.http.Request;
import dev.capsem.sandboxserver.tokens.Token;

/// A caller who showed a valid token.
public record TokenBearer(Request.Caller caller, Token token) implements Request.Caller {
    @Override
    public void requireThere() {
        caller.requireThere();
    }
}
