/* As much of a JSON-RPC line as the relay must understand: whether it wants an answer, and under which id. */
#ifndef CAPSEM_MCP_MESSAGE_H
#define CAPSEM_MCP_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

enum mcp_kind {
    MCP_OTHER,        /* not an object, or not JSON: the host says what is wrong with it */
    MCP_REQUEST,      /* has an id, even a null one */
    MCP_NOTIFICATION, /* has no id */
    MCP_ANSWER,       /* answers something that the host's side asked */
};

struct mcp_slice {
    const char *bytes;
    size_t length;
};

struct mcp_message {
    enum mcp_kind kind;
    struct mcp_slice id;     /* the JSON text, quotes included; empty when there is none */
    struct mcp_slice method; /* without quotes, escapes as they stand; empty when there is none */
};

/* Looks at the top level only. Of a line that was cut off, whatever stands in what is left counts. */
struct mcp_message mcp_message_read(const char *line, size_t length);

#endif
