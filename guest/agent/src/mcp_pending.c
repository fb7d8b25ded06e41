#include "mcp_pending.h"

#include "arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void mcp_pending_init(struct mcp_pending *pending)
{
    memset(pending, 0, sizeof *pending);
    pthread_mutex_init(&pending->lock, NULL);
    pthread_cond_init(&pending->room, NULL);
}

static char *copy(struct mcp_slice slice, const char *otherwise)
{
    if (slice.length == 0)
        slice = (struct mcp_slice){.bytes = otherwise, .length = strlen(otherwise)};
    char *text = must_allocate(slice.length + 1);
    memcpy(text, slice.bytes, slice.length);
    text[slice.length] = '\0';
    return text;
}

void mcp_pending_add(struct mcp_pending *pending, uint32_t stream, const struct mcp_message *message)
{
    struct mcp_waiting waiting = {
        .stream = stream, .id = copy(message->id, "null"), .method = copy(message->method, "request")};
    pthread_mutex_lock(&pending->lock);
    while (pending->count == MCP_PENDING_MAX)
        pthread_cond_wait(&pending->room, &pending->lock);
    pending->waiting[pending->count++] = waiting;
    pthread_mutex_unlock(&pending->lock);
}

static void forget(struct mcp_pending *pending, size_t index)
{
    pending->waiting[index] = pending->waiting[--pending->count];
    pthread_cond_signal(&pending->room);
}

void mcp_pending_remove(struct mcp_pending *pending, uint32_t stream)
{
    pthread_mutex_lock(&pending->lock);
    for (size_t i = 0; i < pending->count; i++) {
        if (pending->waiting[i].stream == stream) {
            free(pending->waiting[i].id);
            free(pending->waiting[i].method);
            forget(pending, i);
            break;
        }
    }
    pthread_mutex_unlock(&pending->lock);
}

bool mcp_pending_take(struct mcp_pending *pending, struct mcp_waiting *taken)
{
    pthread_mutex_lock(&pending->lock);
    bool some = pending->count > 0;
    if (some) {
        *taken = pending->waiting[0];
        forget(pending, 0);
    }
    pthread_mutex_unlock(&pending->lock);
    return some;
}

char *mcp_pending_apology(const char *id, const char *method, const char *reason)
{
    static const char FORMAT[] = "{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":-32001,\"message\":"
                                 "\"MCP transport disconnected before %s response: %s\"}}";
    size_t size = sizeof FORMAT + strlen(id) + strlen(method) + strlen(reason);
    char *text = must_allocate(size);
    snprintf(text, size, FORMAT, id, method, reason);
    return text;
}
