/* One of the three framed connections to the host. Losing any of them ends the sandbox. */
#ifndef CAPSEM_CHANNEL_H
#define CAPSEM_CHANNEL_H

#include "loop.h"
#include "protocol.h"

struct channel {
    struct watch watch;
    struct loop *loop;
    uint16_t port;
    uint8_t *in;
    size_t in_length;
    size_t in_capacity;
    uint8_t *out;
    size_t out_start;
    size_t out_length;
    size_t out_capacity;
    void (*received)(void *context, struct channel *channel, const struct host_frame *frame);
    /* Called when a queue that was full has room again. */
    void (*drained)(void *context, struct channel *channel);
    bool was_full;
    void *context;
};

/* Connects to the host's port and says Hello. Ends the sandbox when that fails. */
void channel_open(struct channel *channel, uint16_t port);

/* Waits for the host's first frame, which must be Boot. The caller consumes it with channel_consume. */
size_t channel_await_boot(struct channel *channel, struct host_frame *frame);
void channel_consume(struct channel *channel, size_t bytes);

/* From here on the loop delivers frames to `received`. */
void channel_attach(struct channel *channel, struct loop *loop);

/* Room for `size` bytes at the queue's end; fill it, then commit what was filled. */
uint8_t *channel_reserve(struct channel *channel, size_t size);
void channel_commit(struct channel *channel, size_t size);

/* True when output should wait: the host is not reading as fast as the guest writes. */
bool channel_is_full(const struct channel *channel);

void channel_flush(struct channel *channel);

#endif
