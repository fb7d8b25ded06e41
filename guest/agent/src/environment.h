/* The environment of an exec: our defaults, over them the host's boot environment, over that the exec's own. */
#ifndef CAPSEM_ENVIRONMENT_H
#define CAPSEM_ENVIRONMENT_H

#include "arena.h"
#include "protocol.h"

/* The host allows 128 names at boot; this leaves room for an exec's own and keeps the merge cheap. */
enum { ENVIRONMENT_MAX = 1024 };

struct environment {
    char *entries[ENVIRONMENT_MAX + 1]; /* "NAME=value", ends with NULL */
    size_t count;
};

void environment_init(struct environment *environment, struct arena *arena);

/* Adds or replaces. Answers 0, E2BIG past the limit, or EINVAL for an empty name or one with '='. */
int environment_merge(struct environment *environment, struct arena *arena, struct texts pairs);
void environment_default(struct environment *environment, struct arena *arena, const char *name, const char *value);

/* The value, or NULL. */
const char *environment_value(const struct environment *environment, const char *name);

#endif
