/* Starts one guest process. */
#ifndef CAPSEM_SPAWN_H
#define CAPSEM_SPAWN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Per-process limits of guest code; 0 means as inherited. The agent itself stays unlimited, or it could not fork. */
struct limits {
    uint64_t data_bytes;
    uint64_t processes;
    uint64_t descriptors;
};

enum spawn_step {
    SPAWN_PREPARE,
    SPAWN_CWD,
    SPAWN_EXEC,
};

struct spawn {
    /* Full paths to try in order, NULL at the end. */
    char **candidates;
    char **argv;
    char **environment;
    const char *cwd;
    /* Become 0, 1, 2; each is 3 or above. */
    int fds[3];
    bool has_terminal;
    const struct limits *limits;
    /* Instead of an exec: runs in a forked child, whose exit code is the answer. */
    int (*internal)(char **argv);
    /* Set by the child when it could not start. */
    volatile enum spawn_step failed_step;
    volatile int error;
};

/*
 * Whether this is the execve of a child that still runs on our memory, which is then kept as it is until it is released.
 * For another thread than the one that spawns. A guest that execs again before we notice names other addresses.
 */
bool spawn_hold_memory(pid_t pid, uint64_t path, uint64_t argv);
void spawn_release_memory(void);

/* The pid, or -1 with `error` and `failed_step` set. */
pid_t spawn_run(struct spawn *spawn);

#endif
