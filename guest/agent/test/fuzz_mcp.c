/*
 * Fuzz target of what the MCP relay reads: lines of a client, of which the id and the method must lie within the line, and
 * frames of the host, whose lengths must add up. Each input is taken as both. Run by scripts/check-fuzz under libFuzzer.
 */
#include "../src/mcp_frame.h"
#include "../src/mcp_message.h"
#include "../src/mcp_pending.h"

#include <stdlib.h>
#include <string.h>

static void is_within(struct mcp_slice slice, const char *line, size_t length)
{
    if (slice.length > 0 && (slice.bytes < line || slice.bytes + slice.length > line + length))
        abort();
}

static void read_line(const char *line, size_t length)
{
    struct mcp_message message = mcp_message_read(line, length);
    is_within(message.id, line, length);
    is_within(message.method, line, length);
    if (message.kind == MCP_REQUEST && message.id.length == 0)
        abort(); /* nobody could be answered */
    if (message.kind == MCP_NOTIFICATION && message.id.length > 0)
        abort();
    if (message.kind != MCP_REQUEST)
        return;
    char *id = strndup(message.id.bytes, message.id.length);
    char *apology = mcp_pending_apology(id, "request", "gone");
    /* Who asked must find its own id in the answer, and the answer must be one line. */
    if (strstr(apology, id) == NULL || (memchr(line, '\n', length) == NULL && strchr(apology, '\n') != NULL))
        abort();
    free(apology);
    free(id);
}

static void read_frame(const uint8_t *bytes, size_t length)
{
    uint32_t body = 0;
    if (length < MCP_LENGTH_BYTES || !mcp_frame_length(bytes, &body))
        return;
    if (body < MCP_HEADER_BYTES || body > MCP_BODY_MAX)
        abort();
    struct mcp_header header;
    if (length - MCP_LENGTH_BYTES < body || !mcp_frame_read(bytes + MCP_LENGTH_BYTES, body, &header))
        return;
    if (MCP_HEADER_BYTES + (uint64_t)header.name_length + header.payload_length != body)
        abort();
    uint8_t again[MCP_LENGTH_BYTES + MCP_HEADER_BYTES];
    mcp_frame_write(again, &header);
    if (memcmp(again, bytes, sizeof again) != 0)
        abort(); /* written otherwise than it was read */
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    read_line((const char *)bytes, length);
    read_frame(bytes, length);
    return 0;
}
