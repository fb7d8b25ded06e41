#include "mcp_frame.h"

enum { MAGIC = 0x4D43, VERSION = 1, FLAG_ALONE = 1 };

static void put16(uint8_t *out, uint16_t value)
{
    out[0] = (uint8_t)(value >> 8);
    out[1] = (uint8_t)value;
}

static void put32(uint8_t *out, uint32_t value)
{
    put16(out, (uint16_t)(value >> 16));
    put16(out + 2, (uint16_t)value);
}

static uint16_t get16(const uint8_t *in)
{
    return (uint16_t)(in[0] << 8 | in[1]);
}

static uint32_t get32(const uint8_t *in)
{
    return (uint32_t)get16(in) << 16 | get16(in + 2);
}

void mcp_frame_write(uint8_t out[MCP_LENGTH_BYTES + MCP_HEADER_BYTES], const struct mcp_header *header)
{
    put32(out, MCP_HEADER_BYTES + header->name_length + header->payload_length);
    put16(out + 4, MAGIC);
    out[6] = VERSION;
    out[7] = MCP_HEADER_BYTES;
    put32(out + 8, header->stream);
    put16(out + 12, header->stream == 0 ? FLAG_ALONE : 0);
    put16(out + 14, header->name_length);
    put32(out + 16, header->payload_length);
}

bool mcp_frame_length(const uint8_t in[MCP_LENGTH_BYTES], uint32_t *length)
{
    *length = get32(in);
    return *length >= MCP_HEADER_BYTES && *length <= MCP_BODY_MAX;
}

bool mcp_frame_read(const uint8_t *body, uint32_t length, struct mcp_header *header)
{
    uint16_t flags = get16(body + 8);
    header->stream = get32(body + 4);
    header->name_length = get16(body + 10);
    header->payload_length = get32(body + 12);
    return get16(body) == MAGIC && body[2] == VERSION && body[3] == MCP_HEADER_BYTES && (flags & ~FLAG_ALONE) == 0 &&
           (flags == FLAG_ALONE) == (header->stream == 0) && header->name_length <= MCP_NAME_MAX &&
           (uint64_t)MCP_HEADER_BYTES + header->name_length + header->payload_length == length;
}
