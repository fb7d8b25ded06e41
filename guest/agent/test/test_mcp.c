/* The MCP relay: what it understands of a line, its frames, and whole conversations with a host of the test's own. */
#include "../src/mcp_frame.h"
#include "../src/mcp_message.h"
#include "../src/mcp_relay.h"
#include "check.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- lines ---------------------------------------------------------------------------------------------------------- */

static void understands(const char *line, enum mcp_kind kind, const char *id, const char *method)
{
    struct mcp_message message = mcp_message_read(line, strlen(line));
    CHECK(message.kind == kind, "%s is of kind %d", line, message.kind);
    CHECK(message.id.length == strlen(id) && memcmp(message.id.bytes ? message.id.bytes : "", id, strlen(id)) == 0,
          "id of %s", line);
    CHECK(message.method.length == strlen(method) &&
              memcmp(message.method.bytes ? message.method.bytes : "", method, strlen(method)) == 0,
          "method of %s", line);
}

static void lines_are_understood(void)
{
    understands("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}", MCP_REQUEST, "1", "ping");
    understands(" { \"method\" : \"a\" , \"id\" : \"x\\\"}\" } ", MCP_REQUEST, "\"x\\\"}\"", "a");
    understands("{\"id\":null,\"method\":\"a\"}", MCP_REQUEST, "null", "a");
    understands("{\"params\":{\"id\":7,\"method\":\"inner\"},\"method\":\"outer\"}", MCP_NOTIFICATION, "", "outer");
    understands("{\"params\":[\"]}\",{\"a\":\"\\\\\"}],\"id\":-1.5e3,\"method\":\"m\"}", MCP_REQUEST, "-1.5e3", "m");
    understands("{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{}}", MCP_ANSWER, "4", "");
    understands("{\"jsonrpc\":\"2.0\",\"id\":4,\"error\":{}}", MCP_ANSWER, "4", "");
    understands("{\"id\":4}", MCP_REQUEST, "4", "");
    understands("{}", MCP_NOTIFICATION, "", "");
    understands("[]", MCP_OTHER, "", "");
    understands("nonsense", MCP_OTHER, "", "");
    understands("", MCP_OTHER, "", "");
    understands("{\"id\":9,\"method\":\"big\",\"params\":{\"x\":\"yyyy", MCP_REQUEST, "9", "big");
}

static void cut_lines_never_hurt(void)
{
    static const char LINE[] = "{\"jsonrpc\":\"2.0\",\"id\":\"\\u00e4\",\"method\":\"a\",\"params\":{\"b\":[1,{\"c\":\"\\\"\"}]}}";
    for (size_t length = 0; length < sizeof LINE; length++) {
        char *copy = malloc(length + 1);
        memcpy(copy, LINE, length);
        mcp_message_read(copy, length);
        free(copy);
    }
    srand(7);
    for (int round = 0; round < 20000; round++) {
        char *copy = malloc(sizeof LINE - 1);
        memcpy(copy, LINE, sizeof LINE - 1);
        for (int i = 0; i < 4; i++)
            copy[(size_t)rand() % (sizeof LINE - 1)] = (char)rand();
        mcp_message_read(copy, sizeof LINE - 1);
        free(copy);
    }
}

/* ---- frames --------------------------------------------------------------------------------------------------------- */

static void frames_are_as_published(void)
{
    static const uint8_t EXAMPLE[] = {0, 0,    0,    0x18, 0x4D, 0x43, 1,    0x10, 0,    0,    0,    1,    0,    0,
                                      0, 0x06, 0,    0,    0,    2,    0x63, 0x6C, 0x61, 0x75, 0x64, 0x65, 0x7B, 0x7D};
    uint8_t head[MCP_LENGTH_BYTES + MCP_HEADER_BYTES];
    struct mcp_header header = {.stream = 1, .name_length = 6, .payload_length = 2};
    mcp_frame_write(head, &header);
    CHECK(memcmp(head, EXAMPLE, sizeof head) == 0, "the worked example");
    uint32_t length;
    CHECK(mcp_frame_length(EXAMPLE, &length) && length == 24, "its length");
    CHECK(mcp_frame_read(EXAMPLE + 4, length, &header) && header.stream == 1 && header.payload_length == 2, "its header");
    static const struct {
        size_t at;
        uint8_t value;
    } BREAKS[] = {{4, 0}, {6, 2}, {7, 17}, {13, 2}, {13, 1}, {15, 129}, {19, 3}, {16, 0xFF}};
    for (size_t i = 0; i < sizeof BREAKS / sizeof *BREAKS; i++) {
        uint8_t broken[sizeof EXAMPLE];
        memcpy(broken, EXAMPLE, sizeof broken);
        broken[BREAKS[i].at] = BREAKS[i].value;
        CHECK(!mcp_frame_read(broken + 4, 24, &header), "byte %zu wrong", BREAKS[i].at);
    }
    CHECK(!mcp_frame_length((const uint8_t[]){0, 0, 0, 15}, &length), "too short");
    CHECK(!mcp_frame_length((const uint8_t[]){0, 0x10, 0x10, 1}, &length), "too long");
    CHECK(mcp_frame_length((const uint8_t[]){0, 0x10, 0x10, 0}, &length), "longest");
}

/* ---- conversations -------------------------------------------------------------------------------------------------- */

static int hosts[8][2];
static int hosts_used;

static int connect_next(void)
{
    return hosts[hosts_used++][1];
}

struct world {
    int to_relay[2];
    int from_relay[2];
    pthread_t thread;
    struct mcp_relay relay;
    int status;
};

static void *run_relay(void *context)
{
    struct world *world = context;
    world->status = mcp_relay_run(&world->relay);
    return NULL;
}

static void begin(struct world *world)
{
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++)
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, hosts[i]) < 0)
            abort();
    hosts_used = 0;
    if (pipe(world->to_relay) < 0 || pipe(world->from_relay) < 0)
        abort();
    world->relay = (struct mcp_relay){.input = world->to_relay[0],
                                      .output = world->from_relay[1],
                                      .connect = connect_next,
                                      .process_name = "claude",
                                      .connect_seconds = 1};
    pthread_create(&world->thread, NULL, run_relay, world);
}

static void finish(struct world *world)
{
    pthread_join(world->thread, NULL);
    close(world->to_relay[0]);
    close(world->from_relay[0]);
    close(world->from_relay[1]);
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        close(hosts[i][0]);
        if ((int)i >= hosts_used)
            close(hosts[i][1]);
    }
}

static void say(struct world *world, const char *line)
{
    if (write(world->to_relay[1], line, strlen(line)) < 0 || write(world->to_relay[1], "\n", 1) < 0)
        abort();
}

static void read_exactly(int fd, void *into, size_t length)
{
    char *at = into;
    while (length > 0) {
        ssize_t count = read(fd, at, length);
        if (count <= 0) {
            CHECK(false, "the relay said less than expected");
            memset(at, 0, length);
            return;
        }
        at += count;
        length -= (size_t)count;
    }
}

static void expect_line(struct world *world, const char *wanted)
{
    char line[512];
    size_t length = 0;
    do {
        read_exactly(world->from_relay[0], line + length, 1);
    } while (line[length] != '\n' && line[length] != '\0' && ++length < sizeof line - 1);
    line[length] = '\0';
    CHECK(strcmp(line, wanted) == 0, "%s instead of %s", line, wanted);
}

static void expect_meta(int host)
{
    char meta[20];
    read_exactly(host, meta, sizeof meta);
    CHECK(memcmp(meta, "\0CAPSEM_META:claude\n", sizeof meta) == 0, "the metadata line");
}

static void expect_frame(int host, uint32_t stream, const char *payload)
{
    uint8_t prefix[MCP_LENGTH_BYTES], body[4096];
    uint32_t length = 0;
    struct mcp_header header = {0};
    read_exactly(host, prefix, sizeof prefix);
    CHECK(mcp_frame_length(prefix, &length) && length <= sizeof body, "a length");
    if (length > sizeof body)
        return;
    read_exactly(host, body, length);
    CHECK(mcp_frame_read(body, length, &header), "a frame");
    CHECK(header.stream == stream, "stream %u instead of %u", header.stream, stream);
    CHECK(header.name_length == 6 && memcmp(body + MCP_HEADER_BYTES, "claude", 6) == 0, "the process name");
    CHECK(header.payload_length == strlen(payload) &&
              memcmp(body + MCP_HEADER_BYTES + 6, payload, header.payload_length) == 0,
          "payload %.*s", (int)header.payload_length, (const char *)body + MCP_HEADER_BYTES + 6);
}

static void reply(int host, uint32_t stream, const char *payload)
{
    uint8_t head[MCP_LENGTH_BYTES + MCP_HEADER_BYTES];
    struct mcp_header header = {.stream = stream, .payload_length = (uint32_t)strlen(payload)};
    mcp_frame_write(head, &header);
    if (write(host, head, sizeof head) < 0 || write(host, payload, strlen(payload)) < 0)
        abort();
}

static void a_conversation_ends_when_the_client_does(void)
{
    struct world world;
    begin(&world);
    int host = hosts[0][0];
    expect_meta(host);
    say(&world, "{\"id\":1,\"method\":\"a\"}");
    say(&world, "{\"method\":\"n\"}");
    say(&world, "{\"id\":\"q\",\"result\":{}}");
    say(&world, "nonsense");
    say(&world, "");
    say(&world, "{\"id\":2,\"method\":\"b\"}");
    expect_frame(host, 1, "{\"id\":1,\"method\":\"a\"}");
    expect_frame(host, 0, "{\"method\":\"n\"}");
    expect_frame(host, 0, "{\"id\":\"q\",\"result\":{}}");
    expect_frame(host, 2, "nonsense");
    expect_frame(host, 3, "{\"id\":2,\"method\":\"b\"}");
    reply(host, 3, "two\n");
    expect_line(&world, "two");
    reply(host, 0, "unasked");
    expect_line(&world, "unasked");
    close(world.to_relay[1]);
    char end;
    CHECK(read(host, &end, 1) == 0, "the relay closes its half");
    reply(host, 1, "one");
    expect_line(&world, "one");
    close(host);
    hosts[0][0] = -1;
    finish(&world);
    CHECK(world.status == 0, "exit status %d", world.status);
}

static void a_lost_host_is_apologized_for_and_replaced(void)
{
    struct world world;
    begin(&world);
    int host = hosts[0][0];
    expect_meta(host);
    say(&world, "{\"id\":\"x\",\"method\":\"tools/call\"}");
    expect_frame(host, 1, "{\"id\":\"x\",\"method\":\"tools/call\"}");
    say(&world, "{\"id\":6,\"method\":\"quiet\"}");
    expect_frame(host, 2, "{\"id\":6,\"method\":\"quiet\"}");
    reply(host, 2, "");
    say(&world, "{\"id\":7,\"method\":\"ping\"}");
    expect_frame(host, 3, "{\"id\":7,\"method\":\"ping\"}");
    reply(host, 3, "seven");
    expect_line(&world, "seven");
    close(host);
    hosts[0][0] = -1;
    expect_line(&world, "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"error\":{\"code\":-32001,\"message\":"
                        "\"MCP transport disconnected before tools/call response: connection closed\"}}");
    say(&world, "{\"id\":8,\"method\":\"again\"}");
    host = hosts[1][0];
    expect_meta(host);
    expect_frame(host, 1, "{\"id\":8,\"method\":\"again\"}");
    reply(host, 1, "eight");
    expect_line(&world, "eight");
    close(world.to_relay[1]);
    shutdown(host, SHUT_RDWR);
    finish(&world);
}

static void *drip(void *context)
{
    struct world *world = context;
    static char block[65536];
    memset(block, 'y', sizeof block);
    const char head[] = "{\"id\":5,\"method\":\"big\",\"params\":\"";
    if (write(world->to_relay[1], head, sizeof head - 1) < 0)
        abort();
    for (int i = 0; i < 20; i++)
        if (write(world->to_relay[1], block, sizeof block) < 0)
            abort();
    if (write(world->to_relay[1], "\"}\n", 3) < 0)
        abort();
    return NULL;
}

static void a_line_too_long_is_answered_here(void)
{
    struct world world;
    begin(&world);
    int host = hosts[0][0];
    expect_meta(host);
    pthread_t thread;
    pthread_create(&thread, NULL, drip, &world);
    expect_line(&world, "{\"jsonrpc\":\"2.0\",\"id\":5,\"error\":{\"code\":-32001,\"message\":"
                        "\"MCP transport disconnected before big response: frame encode failed\"}}");
    pthread_join(thread, NULL);
    say(&world, "{\"id\":6,\"method\":\"small\"}");
    expect_frame(host, 1, "{\"id\":6,\"method\":\"small\"}");
    close(world.to_relay[1]);
    shutdown(host, SHUT_RDWR);
    finish(&world);
}

static void a_host_that_lies_about_lengths_is_left(void)
{
    struct world world;
    begin(&world);
    int host = hosts[0][0];
    expect_meta(host);
    say(&world, "{\"id\":1,\"method\":\"a\"}");
    expect_frame(host, 1, "{\"id\":1,\"method\":\"a\"}");
    if (write(host, "\xff\xff\xff\xff", 4) < 0)
        abort();
    expect_line(&world, "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32001,\"message\":"
                        "\"MCP transport disconnected before a response: connection closed\"}}");
    close(world.to_relay[1]);
    finish(&world);
}

int main(void)
{
    lines_are_understood();
    cut_lines_never_hurt();
    frames_are_as_published();
    a_conversation_ends_when_the_client_does();
    a_lost_host_is_apologized_for_and_replaced();
    a_line_too_long_is_answered_here();
    a_host_that_lies_about_lengths_is_left();
    printf("%d checks, %d wrong\n", checks, failures);
    return failures == 0 ? 0 : 1;
}
