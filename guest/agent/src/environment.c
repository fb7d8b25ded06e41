#include "environment.h"

#include <errno.h>
#include <string.h>

/* The entry's index, or `count` when there is none. */
static size_t find(const struct environment *environment, const void *name, size_t length)
{
    size_t i = 0;
    while (i < environment->count &&
           (strncmp(environment->entries[i], name, length) != 0 || environment->entries[i][length] != '='))
        i++;
    return i;
}

static int set(struct environment *environment, struct arena *arena, struct text name, struct text value)
{
    if (name.length == 0 || memchr(name.bytes, '=', name.length) != NULL)
        return EINVAL;
    size_t index = find(environment, name.bytes, name.length);
    if (index == ENVIRONMENT_MAX)
        return E2BIG;
    if (index == environment->count)
        environment->entries[++environment->count] = NULL;
    char *prefix = arena_join(arena, name.bytes, name.length, "=", 1);
    environment->entries[index] = arena_join(arena, prefix, name.length + 1, value.bytes, value.length);
    return 0;
}

void environment_default(struct environment *environment, struct arena *arena, const char *name, const char *value)
{
    if (find(environment, name, strlen(name)) == environment->count)
        set(environment, arena, (struct text){(const uint8_t *)name, (uint32_t)strlen(name)},
            (struct text){(const uint8_t *)value, (uint32_t)strlen(value)});
}

void environment_init(struct environment *environment, struct arena *arena)
{
    environment->count = 0;
    environment->entries[0] = NULL;
    environment_default(environment, arena, "PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
    environment_default(environment, arena, "HOME", "/root");
    environment_default(environment, arena, "USER", "root");
    environment_default(environment, arena, "LOGNAME", "root");
    environment_default(environment, arena, "LANG", "C.UTF-8");
}

int environment_merge(struct environment *environment, struct arena *arena, struct texts pairs)
{
    while (pairs.count > 0) {
        struct text name = next_text(&pairs);
        struct text value = next_text(&pairs);
        int error = set(environment, arena, name, value);
        if (error != 0)
            return error;
    }
    return 0;
}

const char *environment_value(const struct environment *environment, const char *name)
{
    size_t index = find(environment, name, strlen(name));
    return index < environment->count ? environment->entries[index] + strlen(name) + 1 : NULL;
}
