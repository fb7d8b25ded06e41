/* The envelope of MCP on port 5002; docs and limits as in the host's McpFrames. */
#ifndef CAPSEM_MCP_FRAME_H
#define CAPSEM_MCP_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MCP_LENGTH_BYTES = 4,
    MCP_HEADER_BYTES = 16,
    MCP_BODY_MAX = 1052672,
    MCP_NAME_MAX = 128,
};

struct mcp_header {
    uint32_t stream; /* 0: stands alone */
    uint16_t name_length;
    uint32_t payload_length;
};

/* Length and header, ready to be followed by name and payload. */
void mcp_frame_write(uint8_t out[MCP_LENGTH_BYTES + MCP_HEADER_BYTES], const struct mcp_header *header);

/* Whether the length is one that a frame may have. */
bool mcp_frame_length(const uint8_t in[MCP_LENGTH_BYTES], uint32_t *length);

/* Whether the body, all of it there, is a frame. */
bool mcp_frame_read(const uint8_t *body, uint32_t length, struct mcp_header *header);

#endif
