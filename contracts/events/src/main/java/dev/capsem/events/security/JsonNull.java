package dev.capsem.events.security;

/// JSON's `null`: a value that is there and says nothing, unlike a value that is not there.
public enum JsonNull {
    NULL;

    @Override
    public String toString() {
        return "null";
    }
}
