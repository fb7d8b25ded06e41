#include "arena.h"

#include "console.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_MIN = 16384 };

struct arena_chunk {
    struct arena_chunk *next;
    size_t used;
    size_t capacity;
    max_align_t memory[];
};

void *must_allocate(size_t size)
{
    return must_reallocate(NULL, size);
}

void *must_reallocate(void *memory, size_t size)
{
    void *grown = realloc(memory, size);
    if (grown == NULL)
        console_fail("out of memory in the agent", "Give the sandbox more memory");
    return grown;
}

void *arena_take(struct arena *arena, size_t size)
{
    size_t aligned = (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    struct arena_chunk *chunk = arena->chunks;
    if (chunk == NULL || chunk->capacity - chunk->used < aligned) {
        size_t capacity = aligned > CHUNK_MIN ? aligned : CHUNK_MIN;
        chunk = must_allocate(sizeof *chunk + capacity);
        *chunk = (struct arena_chunk){arena->chunks, 0, capacity};
        arena->chunks = chunk;
    }
    void *taken = (uint8_t *)chunk->memory + chunk->used;
    chunk->used += aligned;
    return taken;
}

char *arena_text(struct arena *arena, const void *bytes, size_t length)
{
    return arena_join(arena, bytes, length, "", 0);
}

char *arena_join(struct arena *arena, const void *first, size_t first_length, const void *second, size_t second_length)
{
    char *text = arena_take(arena, first_length + second_length + 1);
    memcpy(text, first, first_length);
    memcpy(text + first_length, second, second_length);
    text[first_length + second_length] = '\0';
    return text;
}

void arena_release(struct arena *arena)
{
    while (arena->chunks != NULL) {
        struct arena_chunk *chunk = arena->chunks;
        arena->chunks = chunk->next;
        free(chunk);
    }
}
