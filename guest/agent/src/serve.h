/* Serves the host from Ready to Shutdown: routes frames to the execs, reaps children, ends the sandbox. */
#ifndef CAPSEM_SERVE_H
#define CAPSEM_SERVE_H

#include "exec.h"

struct server {
    struct loop loop;
    struct channel control;
    struct channel terminal;
    struct channel plain;
    struct execs execs;
    struct watch children;
    struct watch audit;
    bool is_ending;
    uint64_t kill_at;
};

/* Requires: the three channels are open and Boot was consumed; privileges are dropped. Exits 0 after a Shutdown. */
_Noreturn void serve(struct server *server, const struct environment *environment, const struct limits *limits,
                     const struct boot_stage *stages, uint32_t stage_count);

#endif
