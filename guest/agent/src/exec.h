/* The running commands: their pipes or terminals, their credits and their end. */
#ifndef CAPSEM_EXEC_H
#define CAPSEM_EXEC_H

#include "channel.h"
#include "environment.h"
#include "loop.h"
#include "spawn.h"

struct exec;

struct execs {
    struct loop *loop;
    struct channel *control;
    struct channel *terminal;
    struct channel *plain;
    const struct environment *environment;
    const struct limits *limits;
    struct exec *first;
    struct exec *dead;
    unsigned count;
    /* Shutdown has begun: no new commands. */
    bool closed;
};

/* Requires: a decoded Exec, Signal, Resize, Input, InputEnd or OutputCredit frame. Unknown ids are ignored: their
 * exec may have ended while the frame was under way. */
void execs_start(struct execs *execs, const struct host_frame *frame);
void execs_signal(struct execs *execs, uint32_t id, uint8_t number);
void execs_resize(struct execs *execs, uint32_t id, uint16_t rows, uint16_t columns);
void execs_input(struct execs *execs, uint32_t id, struct text bytes);
void execs_input_end(struct execs *execs, uint32_t id);
void execs_credit(struct execs *execs, uint32_t id, uint32_t bytes);

/* A child of pid 1 ended; it may be nobody's exec (an orphan). */
void execs_child_ended(struct execs *execs, pid_t pid, int status);

/* The channel has room again. */
void execs_channel_drained(struct execs *execs, const struct channel *channel);

/* Milliseconds until the next exec stops waiting for its background children, or -1. */
int execs_next_timeout(const struct execs *execs);
void execs_run_timeouts(struct execs *execs);

/* Frees what ended; no event of the current batch can point to it any more. */
void execs_bury(struct execs *execs);

#endif
