/* A small epoll loop. The agent runs two: one for the host's connections and execs, one for redirected traffic. */
#ifndef CAPSEM_LOOP_H
#define CAPSEM_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct watch;
typedef void watch_ready(struct watch *watch, uint32_t events);

/* One descriptor of interest, embedded in its owner. An fd of -1 means closed: pending events for it are skipped. */
struct watch {
    int fd;
    bool registered;
    uint32_t events;
    watch_ready *ready;
    /* While the kernel has no room for it in epoll: among those that the loop polls itself. */
    bool polled;
    struct watch *next_polled;
};

#define OWNER_OF(pointer, type, member) ((type *)(void *)((char *)(pointer)-offsetof(type, member)))

struct loop {
    int epoll;
    struct watch *polled;
    /* Runs after each batch of events: flushes queues and frees owners that died in the batch. */
    void (*batch_done)(void *context);
    /* Milliseconds until the next deadline, -1 for none. */
    int (*next_timeout)(void *context);
    void *context;
};

void loop_init(struct loop *loop);

/*
 * Watches for `events`; 0 stops watching. A watch with nothing to wait for is taken out of epoll rather than kept with
 * an empty mask, because epoll reports a hang-up regardless of the mask and the loop would spin on it.
 */
void loop_watch(struct loop *loop, struct watch *watch, uint32_t events);

/* Keeps the watch in epoll for errors and hang-ups alone. */
void loop_watch_hangup(struct loop *loop, struct watch *watch);

/* Stops watching and closes the descriptor. The owner must stay allocated until batch_done. */
void loop_close(struct loop *loop, struct watch *watch);

/* Waits once, and tells whoever has something to do. */
void loop_turn(struct loop *loop);

_Noreturn void loop_run(struct loop *loop);

#endif
