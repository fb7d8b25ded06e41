package dev.capsem.exchange.http.body;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Pieces of a response that came and did not leave yet. They are released here unless somebody takes them.
public final class HeldChunks {
    private final Deque<Chunk> chunks = new ArrayDeque<>();

    /// The end, while it waits for the record.
    private @Nullable Chunk end;

    public void add(Chunk chunk) {
        chunks.addLast(chunk);
    }

    public void addAll(List<Chunk> more) {
        chunks.addAll(more);
    }

    public boolean isEmpty() {
        return chunks.isEmpty();
    }

    public Chunk take() {
        return chunks.removeFirst();
    }

    public void removeLast() {
        chunks.removeLast();
    }

    public List<Chunk> takeAll() {
        List<Chunk> all = List.copyOf(chunks);
        chunks.clear();
        return all;
    }

    public void endWith(Chunk last) {
        end = last;
    }

    public Chunk takeEnd() {
        Chunk last = Objects.requireNonNull(end, "the end came");
        end = null;
        return last;
    }

    public void release() {
        if (end != null) {
            end.release();
            end = null;
        }
        takeAll().forEach(Chunk::release);
    }
}
