#include "channel.h"

#include "arena.h"
#include "console.h"
#include "host_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    IN_INITIAL = 65536 + 64,
    /* Above this no child is read; one more frame of each stream in hand may still come on top. */
    OUT_FULL = 524288,
    /* Only small frames (Started, Exited, Pong) come past OUT_FULL: a host that lets this much pile up is gone. */
    OUT_MAX = 33554432,
    BOOT_PATIENCE_MILLIS = 30000,
    HELLO_MAX = 128,
};

static const char HOST_REMEDY[] = "See process.log of this sandbox for why capsem-process ended or refused";

static _Noreturn void fail(const struct channel *channel, const char *what, int error)
{
    char cause[128];
    snprintf(cause, sizeof cause, "port %u: %s", channel->port, what);
    if (error != 0)
        console_fail_errno(cause, error, HOST_REMEDY);
    console_fail(cause, HOST_REMEDY);
}

void channel_open(struct channel *channel, uint16_t port)
{
    channel->port = port;
    channel->watch.fd = host_connect(port);
    if (channel->watch.fd < 0)
        fail(channel, "cannot connect to the host", -channel->watch.fd);
    uint8_t hello[HELLO_MAX];
    size_t length = encode_hello(hello, sizeof hello, port, CAPSEM_VERSION);
    memcpy(channel_reserve(channel, length), hello, length);
    channel_commit(channel, length);
    channel_flush(channel);
}

static void grow_in(struct channel *channel, size_t needed)
{
    if (needed <= channel->in_capacity)
        return;
    channel->in_capacity = needed;
    channel->in = must_reallocate(channel->in, needed);
}

/* Answers false when nothing is there to read now. */
static bool receive(struct channel *channel)
{
    grow_in(channel, IN_INITIAL);
    ssize_t count = recv(channel->watch.fd, channel->in + channel->in_length, channel->in_capacity - channel->in_length, 0);
    if (count > 0) {
        channel->in_length += (size_t)count;
        return true;
    }
    if (count == 0)
        fail(channel, "the host closed the connection", 0);
    if (errno != EAGAIN && errno != EINTR)
        fail(channel, "reading from the host", errno);
    return false;
}

/* Answers the frame's size, or 0 when more bytes are needed (for which there is room then). */
static size_t decode_at(struct channel *channel, size_t offset, struct host_frame *frame)
{
    size_t consumed = 0;
    const char *reason = NULL;
    switch (decode_host_frame(channel->in + offset, channel->in_length - offset, frame, &consumed, &reason)) {
    case DECODED_FRAME:
        if (is_control_type(frame->type) != (channel->port == PORT_CONTROL))
            fail(channel, "a frame came on the wrong port", 0);
        return consumed;
    case DECODED_MALFORMED:
        fail(channel, reason, 0);
    case DECODED_NEED_MORE:
        break;
    }
    return 0;
}

void channel_consume(struct channel *channel, size_t bytes)
{
    channel->in_length -= bytes;
    memmove(channel->in, channel->in + bytes, channel->in_length);
}

/* Makes room for the frame whose first bytes are in the buffer. */
static void make_room_for_frame(struct channel *channel)
{
    struct host_frame frame;
    size_t needed = 0;
    const char *reason;
    if (decode_host_frame(channel->in, channel->in_length, &frame, &needed, &reason) == DECODED_NEED_MORE)
        grow_in(channel, needed);
}

size_t channel_await_boot(struct channel *channel, struct host_frame *frame)
{
    struct pollfd ready = {.fd = channel->watch.fd, .events = POLLIN};
    uint64_t deadline = monotonic_micros() + (uint64_t)BOOT_PATIENCE_MILLIS * 1000;
    for (;;) {
        uint64_t now = monotonic_micros();
        if (now >= deadline)
            fail(channel, "the host sent no Boot within 30 s", 0);
        poll(&ready, 1, (int)((deadline - now) / 1000) + 1);
        if (!receive(channel))
            continue;
        size_t size = decode_at(channel, 0, frame);
        if (size == 0) {
            make_room_for_frame(channel);
            continue;
        }
        if (frame->type != HOST_BOOT)
            fail(channel, "the host's first frame is not Boot", 0);
        return size;
    }
}

static void deliver(struct channel *channel)
{
    size_t offset = 0;
    struct host_frame frame;
    for (size_t size; (size = decode_at(channel, offset, &frame)) > 0; offset += size)
        channel->received(channel->context, channel, &frame);
    channel_consume(channel, offset);
    make_room_for_frame(channel);
}

static void on_ready(struct watch *watch, uint32_t events)
{
    struct channel *channel = OWNER_OF(watch, struct channel, watch);
    if (events & EPOLLOUT)
        channel_flush(channel);
    if ((events & ~(uint32_t)EPOLLOUT) && receive(channel))
        deliver(channel);
}

void channel_attach(struct channel *channel, struct loop *loop)
{
    channel->loop = loop;
    channel->watch.ready = on_ready;
    loop_watch(loop, &channel->watch, EPOLLIN);
    if (channel->in_length > 0)
        deliver(channel); /* frames that came together with Boot */
}

uint8_t *channel_reserve(struct channel *channel, size_t size)
{
    size_t end = channel->out_start + channel->out_length;
    if (end + size > channel->out_capacity && channel->out_start > 0) {
        memmove(channel->out, channel->out + channel->out_start, channel->out_length);
        channel->out_start = 0;
        end = channel->out_length;
    }
    if (end + size > channel->out_capacity) {
        if (end + size > OUT_MAX)
            fail(channel, "the host stopped reading", 0);
        channel->out_capacity = (end + size) * 2;
        channel->out = must_reallocate(channel->out, channel->out_capacity);
    }
    return channel->out + end;
}

void channel_commit(struct channel *channel, size_t size)
{
    channel->out_length += size;
}

bool channel_is_full(const struct channel *channel)
{
    return channel->out_length >= OUT_FULL;
}

void channel_flush(struct channel *channel)
{
    channel->was_full |= channel_is_full(channel);
    while (channel->out_length > 0) {
        ssize_t sent = send(channel->watch.fd, channel->out + channel->out_start, channel->out_length, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0 && errno == EAGAIN)
            break;
        if (sent < 0)
            fail(channel, "writing to the host", errno);
        channel->out_start += (size_t)sent;
        channel->out_length -= (size_t)sent;
    }
    if (channel->out_length == 0)
        channel->out_start = 0;
    if (channel->loop != NULL)
        loop_watch(channel->loop, &channel->watch, channel->out_length > 0 ? EPOLLIN | EPOLLOUT : EPOLLIN);
    if (channel->was_full && !channel_is_full(channel)) {
        channel->was_full = false;
        channel->drained(channel->context, channel);
    }
}
