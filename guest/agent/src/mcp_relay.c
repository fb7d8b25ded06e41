#include "mcp_relay.h"

#include "arena.h"
#include "mcp_frame.h"
#include "mcp_message.h"
#include "mcp_pending.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum {
    READ_BYTES = 65536,
    BACK_OFF_MILLIS_MIN = 50,
    BACK_OFF_MILLIS_MAX = 1000,
};

struct connection {
    const struct mcp_relay *relay;
    int fd;
    pthread_t reader;
    atomic_bool is_over;
};

static struct mcp_pending pending;
static pthread_mutex_t output_lock = PTHREAD_MUTEX_INITIALIZER; /* one line at a time on the output */

/* ---- bytes ---------------------------------------------------------------------------------------------------------- */

static bool write_all(int fd, const void *bytes, size_t length)
{
    const char *at = bytes;
    while (length > 0) {
        ssize_t count = write(fd, at, length);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        at += count;
        length -= (size_t)count;
    }
    return true;
}

static bool read_all(int fd, void *bytes, size_t length)
{
    char *at = bytes;
    while (length > 0) {
        ssize_t count = read(fd, at, length);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        at += count;
        length -= (size_t)count;
    }
    return true;
}

/* A client that no longer reads ends the program: there is nobody left to serve. */
static void print_line(int output, const void *text, size_t length)
{
    bool has_end = length > 0 && ((const char *)text)[length - 1] == '\n';
    pthread_mutex_lock(&output_lock);
    bool written = write_all(output, text, length) && (has_end || write_all(output, "\n", 1));
    pthread_mutex_unlock(&output_lock);
    if (!written)
        _exit(0);
}

static void apologize(int output, const char *id, const char *method, const char *reason)
{
    char *text = mcp_pending_apology(id, method, reason);
    print_line(output, text, strlen(text));
    free(text);
}

static void fail_pending(int output, const char *reason)
{
    struct mcp_waiting waiting;
    while (mcp_pending_take(&pending, &waiting)) {
        apologize(output, waiting.id, waiting.method, reason);
        free(waiting.id);
        free(waiting.method);
    }
}

/* ---- host to client ------------------------------------------------------------------------------------------------- */

static bool pass_one(struct connection *connection, uint8_t *body)
{
    uint8_t prefix[MCP_LENGTH_BYTES];
    uint32_t length;
    struct mcp_header header;
    if (!read_all(connection->fd, prefix, sizeof prefix) || !mcp_frame_length(prefix, &length) ||
        !read_all(connection->fd, body, length) || !mcp_frame_read(body, length, &header))
        return false;
    if (header.stream != 0)
        mcp_pending_remove(&pending, header.stream);
    if (header.payload_length > 0)
        print_line(connection->relay->output, body + MCP_HEADER_BYTES + header.name_length, header.payload_length);
    return true;
}

static void *read_host(void *context)
{
    struct connection *connection = context;
    uint8_t *body = must_allocate(MCP_BODY_MAX);
    while (pass_one(connection, body))
        ;
    free(body);
    atomic_store(&connection->is_over, true);
    shutdown(connection->fd, SHUT_RDWR);
    fail_pending(connection->relay->output, "connection closed");
    return NULL;
}

/* ---- the connection ------------------------------------------------------------------------------------------------- */

static void sleep_millis(unsigned millis)
{
    struct timespec time = {.tv_sec = millis / 1000, .tv_nsec = (long)(millis % 1000) * 1000000};
    nanosleep(&time, NULL);
}

static int64_t now_millis(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int connect_patiently(const struct mcp_relay *relay)
{
    int64_t until = now_millis() + (int64_t)relay->connect_seconds * 1000;
    unsigned wait = BACK_OFF_MILLIS_MIN;
    for (;;) {
        int fd = relay->connect();
        if (fd >= 0) {
            fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
            return fd;
        }
        if (now_millis() + wait > until) {
            fprintf(stderr, "capsem-mcp-server: the host does not answer (%s); is this a Capsem sandbox?\n",
                    strerror(-fd));
            return -1;
        }
        sleep_millis(wait);
        wait = wait * 2 < BACK_OFF_MILLIS_MAX ? wait * 2 : BACK_OFF_MILLIS_MAX;
    }
}

static bool open_connection(struct connection *connection, const struct mcp_relay *relay)
{
    connection->relay = relay;
    connection->fd = connect_patiently(relay);
    if (connection->fd < 0)
        return false;
    atomic_store(&connection->is_over, false);
    char meta[256];
    int length = snprintf(meta, sizeof meta, "%cCAPSEM_META:%s\n", 0, relay->process_name);
    /* A host that closes at once is noticed by the reader. */
    if (!write_all(connection->fd, meta, (size_t)length))
        atomic_store(&connection->is_over, true);
    return pthread_create(&connection->reader, NULL, read_host, connection) == 0;
}

static void close_connection(struct connection *connection)
{
    shutdown(connection->fd, SHUT_RDWR);
    pthread_join(connection->reader, NULL);
    close(connection->fd);
}

/* ---- client to host ------------------------------------------------------------------------------------------------- */

static bool send_frame(struct connection *connection, uint32_t stream, const char *line, size_t length)
{
    size_t name_length = strlen(connection->relay->process_name);
    struct mcp_header header = {
        .stream = stream, .name_length = (uint16_t)name_length, .payload_length = (uint32_t)length};
    uint8_t head[MCP_LENGTH_BYTES + MCP_HEADER_BYTES + MCP_NAME_MAX];
    mcp_frame_write(head, &header);
    memcpy(head + MCP_LENGTH_BYTES + MCP_HEADER_BYTES, connection->relay->process_name, name_length);
    size_t head_length = MCP_LENGTH_BYTES + MCP_HEADER_BYTES + name_length;
    struct iovec parts[] = {{.iov_base = head, .iov_len = head_length}, {.iov_base = (char *)line, .iov_len = length}};
    ssize_t written = writev(connection->fd, parts, 2);
    if (written < 0 && errno == EINTR)
        written = 0;
    if (written < 0)
        return false;
    size_t done = (size_t)written;
    if (done < head_length)
        return write_all(connection->fd, head + done, head_length - done) && write_all(connection->fd, line, length);
    done -= head_length;
    return write_all(connection->fd, line + done, length - done);
}

struct sender {
    struct connection connection;
    uint32_t last_stream;
};

static bool reconnect(struct sender *sender, const struct mcp_relay *relay)
{
    close_connection(&sender->connection);
    fail_pending(relay->output, "connection closed");
    sender->last_stream = 0;
    return open_connection(&sender->connection, relay);
}

/* False when there is no host any more. */
static bool pass_line(struct sender *sender, const struct mcp_relay *relay, const char *line, size_t length)
{
    struct mcp_message message = mcp_message_read(line, length);
    bool stands_alone = message.kind == MCP_NOTIFICATION || message.kind == MCP_ANSWER;
    if ((atomic_load(&sender->connection.is_over) || sender->last_stream == UINT32_MAX) && !reconnect(sender, relay)) {
        if (message.kind == MCP_REQUEST) {
            struct mcp_waiting waiting;
            mcp_pending_add(&pending, 0, &message);
            while (mcp_pending_take(&pending, &waiting))
                apologize(relay->output, waiting.id, waiting.method, "connection closed");
        }
        return false;
    }
    uint32_t stream = stands_alone ? 0 : ++sender->last_stream;
    if (message.kind == MCP_REQUEST)
        mcp_pending_add(&pending, stream, &message);
    if (send_frame(&sender->connection, stream, line, length))
        return true;
    /* Not sent again: a tool may have run already. */
    atomic_store(&sender->connection.is_over, true);
    fail_pending(relay->output, "write failed");
    return true;
}

static void refuse_line(const struct mcp_relay *relay, const char *line, size_t length)
{
    struct mcp_message message = mcp_message_read(line, length);
    if (message.kind != MCP_REQUEST)
        return;
    char *id = strndup(message.id.bytes, message.id.length);
    char *method = message.method.length > 0 ? strndup(message.method.bytes, message.method.length) : strdup("request");
    if (id != NULL && method != NULL)
        apologize(relay->output, id, method, "frame encode failed");
    free(id);
    free(method);
}

static bool is_blank(const char *line, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (strchr(" \t\r", line[i]) == NULL || line[i] == '\0')
            return false;
    return true;
}

struct line {
    char *bytes;
    size_t length;
    size_t room;
    bool is_too_long;
};

static bool end_line(struct sender *sender, const struct mcp_relay *relay, struct line *line)
{
    bool goes_on = true;
    if (line->is_too_long)
        refuse_line(relay, line->bytes, line->length);
    else if (!is_blank(line->bytes, line->length))
        goes_on = pass_line(sender, relay, line->bytes, line->length);
    line->length = 0;
    line->is_too_long = false;
    return goes_on;
}

/* What is beyond the limit is dropped; the beginning stays, so that the line can be answered under its id. */
static void extend_line(struct line *line, const char *bytes, size_t length)
{
    size_t fits = line->room - line->length;
    if (length > fits) {
        line->is_too_long = true;
        length = fits;
    }
    memcpy(line->bytes + line->length, bytes, length);
    line->length += length;
}

static int pass_input(struct sender *sender, const struct mcp_relay *relay)
{
    static char chunk[READ_BYTES];
    struct line line = {.room = MCP_BODY_MAX - MCP_HEADER_BYTES - strlen(relay->process_name)};
    line.bytes = must_allocate(line.room);
    for (;;) {
        ssize_t count = read(relay->input, chunk, sizeof chunk);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            break;
        const char *at = chunk, *end = chunk + count;
        while (at < end) {
            const char *feed = memchr(at, '\n', (size_t)(end - at));
            extend_line(&line, at, (size_t)((feed == NULL ? end : feed) - at));
            if (feed == NULL)
                break;
            if (!end_line(sender, relay, &line)) {
                free(line.bytes);
                return 1;
            }
            at = feed + 1;
        }
    }
    bool goes_on = line.length == 0 || end_line(sender, relay, &line);
    free(line.bytes);
    return goes_on ? 0 : 1;
}

int mcp_relay_run(const struct mcp_relay *relay)
{
    signal(SIGPIPE, SIG_IGN);
    mcp_pending_init(&pending);
    struct sender sender = {.last_stream = 0};
    if (!open_connection(&sender.connection, relay))
        return 1;
    int status = pass_input(&sender, relay);
    if (sender.connection.fd >= 0) {
        /* Nothing more will come from us; what was asked is still answered. */
        shutdown(sender.connection.fd, SHUT_WR);
        pthread_join(sender.connection.reader, NULL);
        close(sender.connection.fd);
    }
    return status;
}
