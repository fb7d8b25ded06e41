package dev.capsem.service.v1.reach;

import dev.capsem.service.http.Request;
import dev.capsem.service.v1.tokens.Token;

/// A caller who showed a valid token.
public record TokenBearer(Request.Caller caller, Token token) implements Request.Caller {
    @Override
    public void requireThere() {
        caller.requireThere();
    }
}
