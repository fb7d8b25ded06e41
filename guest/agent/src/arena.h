/* Memory that is given back all at once: the strings and vectors of one exec. */
#ifndef CAPSEM_ARENA_H
#define CAPSEM_ARENA_H

#include <stddef.h>

struct arena_chunk;

struct arena {
    struct arena_chunk *chunks;
};

/* Never answers NULL: without memory for an argument vector the agent cannot go on, and pid 1's end is the safe end. */
void *arena_take(struct arena *arena, size_t size);
char *arena_text(struct arena *arena, const void *bytes, size_t length);
/* The two parts one after the other. */
char *arena_join(struct arena *arena, const void *first, size_t first_length, const void *second, size_t second_length);
void arena_release(struct arena *arena);

/* malloc with the same promise. */
void *must_allocate(size_t size);
void *must_reallocate(void *memory, size_t size);

#endif
