/* Requests that wait for their reply, so that each of them gets an answer even when the host goes away. */
#ifndef CAPSEM_MCP_PENDING_H
#define CAPSEM_MCP_PENDING_H

#include "mcp_message.h"

#include <pthread.h>
#include <stdint.h>

/* More than the host carries out at once and a socket holds; beyond it, reading stdin waits. */
enum { MCP_PENDING_MAX = 1024 };

struct mcp_waiting {
    uint32_t stream;
    char *id;     /* JSON text */
    char *method; /* as it stood, or "request" */
};

struct mcp_pending {
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t room;
    struct mcp_waiting waiting[MCP_PENDING_MAX];
    size_t count;
};

void mcp_pending_init(struct mcp_pending *pending);

/* Waits for room. */
void mcp_pending_add(struct mcp_pending *pending, uint32_t stream, const struct mcp_message *message);

/* The reply is here. */
void mcp_pending_remove(struct mcp_pending *pending, uint32_t stream);

/* Takes one out, whichever; the caller frees its texts. False when none is left. */
bool mcp_pending_take(struct mcp_pending *pending, struct mcp_waiting *taken);

/* The answer to a request whose reply will never come; to be freed. */
char *mcp_pending_apology(const char *id, const char *method, const char *reason);

#endif
