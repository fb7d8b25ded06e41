package dev.capsem.exchange.http;

import dev.capsem.exchange.http.body.Chunk;

/// A piece of a body that knows whether anybody still has it.
final class TextChunk implements Chunk {
    private final String text;
    private final boolean isLast;
    private int owners = 1;

    TextChunk(String text, boolean isLast) {
        this.text = text;
        this.isLast = isLast;
    }

    String text() {
        return text;
    }

    boolean isHeld() {
        return owners > 0;
    }

    @Override
    public int size() {
        return text.length();
    }

    @Override
    public boolean isLast() {
        return isLast;
    }

    /// Also called for a piece that was sent on.
    @Override
    public void release() {
        if (--owners < 0) {
            throw new IllegalStateException("released twice: " + text);
        }
    }

    @Override
    public String toString() {
        return "\"" + text + "\"" + (isLast ? " (end)" : "");
    }
}
